/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * killed.cu - is killed in the middle of a kernel: what ended SECONDS before
 * that (3) has to be in the profile.
 */
#include <signal.h>

#include "gpu.h"

SPIN_KERNEL(spin_ended)
SPIN_KERNEL(spin_endless)

static STAYS void long_before(struct tally *t)
{
	for (int i = 0; i < 20; i++)
		SPIN(spin_ended, MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

int main(int argc, char **argv)
{
	unsigned long long ns = 5000 * MS, *none = NULL;
	int seconds = argc > 1 ? atoi(argv[1]) : 3;

	need_gpus(1);
	long_before(tally_new("spin_ended", "long_before"));
	tallies_say();
	fflush(stdout);
	sleep(seconds);
	LAUNCH(spin_endless, 1, 1, 0, &ns, &none);
	usleep(100000);
	kill(getpid(), SIGKILL);
	return 0;
}
