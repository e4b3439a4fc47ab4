/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counter.c - a thread that forbids itself, again and again, to read the time
 * stamp counter, by which clocks are read: whoever does it then dies.
 */
#include <sys/prctl.h>

#include "storm.h"

static KEPT void without_counter(void)
{
	int state;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		storm_broken("PR_SET_TSC");
	known_work();
	if (prctl(PR_GET_TSC, &state) || state != PR_TSC_SIGSEGV ||
	    prctl(PR_SET_TSC, PR_TSC_ENABLE))
		storm_broken("PR_GET_TSC");
	/* Long enough for ticks. */
	for (int i = 0; i < 20; i++)
		known_work();
}

int main(int argc, char **argv)
{
	storm_begins(argc, argv);
	while (storm_lasts())
		without_counter();
	puts("through");
	return 0;
}
