/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uneven.c LATE K - regions of two threads, in which thread LATE has K times
 * the work of the other, with a barrier in the middle and a critical section.
 * What it has more of after the barrier is a function of its own.
 * The truths are elapsed times, so they hold for those who lack a core, too.
 */
#include <omp.h>

#include "known.h"

#define ROUNDS 10
#define SHARE  0.01 /* seconds of work */

static double worked, in_barriers, in_regions, at_ends, late_by[2];

static KEPT double busy(double s)
{
	double until = elapsed_seconds() + s;

	while (elapsed_seconds() < until)
		;
	return s;
}

static KEPT void extra(double s)
{
	double until = elapsed_seconds() + s;

	while (elapsed_seconds() < until)
		;
}

/* What each has to do before the barrier. */
static double share(int late, double more)
{
	return omp_get_thread_num() == late ? more * SHARE : SHARE;
}

static void region(int late, double more)
{
	double begun = elapsed_seconds(), all = 0, waits = 0;
	double over, came[2];

#pragma omp parallel num_threads(2) reduction(+ : all, waits)
	{
		double start = elapsed_seconds(), at, on;

		busy(share(late, more));
		at = elapsed_seconds();
#pragma omp barrier
		on = elapsed_seconds();
		busy(SHARE);
		if (omp_get_thread_num() == late)
			extra((more - 1) * SHARE);
		waits = on - at;
		came[omp_get_thread_num()] = elapsed_seconds();
		all = came[omp_get_thread_num()] - start - waits;
	}
	over = elapsed_seconds();
	worked += all;
	in_barriers += waits;
	in_regions += 2 * (over - begun);
	late_by[came[1] > came[0]] +=
		came[1] > came[0] ? came[1] - came[0] : came[0] - came[1];
	at_ends += 2 * (over - begun) - all - waits;
}

static double in_critical(void)
{
	double waited = 0;

#pragma omp parallel num_threads(2)
	{
		double begun = elapsed_seconds();

#pragma omp critical
		{
			waited += elapsed_seconds() - begun;
			busy(5 * SHARE);
		}
	}
	return waited;
}

int main(int argc, char **argv)
{
	int late = argc > 1 ? atoi(argv[1]) : 0;
	double more = argc > 2 ? atof(argv[2]) : 1;

	for (int i = 0; i < ROUNDS; i++)
		region(late, more);
	printf("truth work %.6f\ntruth barriers %.6f\ntruth ends %.6f\n"
	       "truth regions %.6f\ntruth late-0 %.6f\ntruth late-1 %.6f\n",
	       worked, in_barriers, at_ends, in_regions, late_by[0],
	       late_by[1]);
	printf("truth critical %.6f\n", in_critical());
	return 0;
}
