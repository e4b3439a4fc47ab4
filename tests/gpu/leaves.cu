/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * leaves.cu WAY [SECONDS] - ends in one of many ways in the middle of a kernel:
 * what ended SECONDS before that (3, by "exit" 0) has to be in the profile, and
 * the end takes no longer than it did.
 */
#include <signal.h>
#include <string.h>

#include "gpu.h"

SPIN_KERNEL(spin_ended)
SPIN_KERNEL(spin_endless)

static STAYS void long_before(struct tally *t)
{
	for (int i = 0; i < 20; i++)
		SPIN(spin_ended, MS, t, 0);
	TRY(cudaDeviceSynchronize());
}

static void by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void by_term(void)
{
	kill(getpid(), SIGTERM);
}

static void by_exit(void)
{
	exit(4);
}

static void by_quick_exit(void)
{
	_exit(5);
}

static const struct way {
	const char *name;
	void (*leave)(void);
	unsigned int seconds;
} ways[] = {
	{ "kill", by_kill, 3 }, { "term", by_term, 3 },
	{ "abort", abort, 3 },  { "_exit", by_quick_exit, 3 },
	{ "exit", by_exit, 0 },
};

static const struct way *way_of(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return &ways[0];
}

int main(int argc, char **argv)
{
	const struct way *way = way_of(argc > 1 ? argv[1] : "kill");
	unsigned long long ns = 5000 * MS, *none = NULL;

	need_gpus(1);
	long_before(tally_new("spin_ended", "long_before"));
	tallies_say();
	/* The kernel that never ends has a record too, which is nobody's. */
	if (way->leave == by_exit)
		truth("records", "all", "*", "attributed", 0.95);
	fflush(stdout);
	sleep(argc > 2 ? (unsigned int)atoi(argv[2]) : way->seconds);
	LAUNCH(spin_endless, 1, 1, 0, &ns, &none);
	usleep(100000);
	way->leave();
	return 1;
}
