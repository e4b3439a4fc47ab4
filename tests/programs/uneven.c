/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * uneven.c LATE K - regions of two threads, in which thread LATE has K times
 * the work of the other, with a barrier in the middle; then others in which one
 * waits for the other in each way there is.
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

static void add_late(const double came[2])
{
	double by = came[1] - came[0];

	late_by[by > 0] += by > 0 ? by : -by;
}

static void region(int late, double more)
{
	double begun = elapsed_seconds(), all = 0, waits = 0;
	double over, met[2], came[2];

#pragma omp parallel num_threads(2) reduction(+ : all, waits)
	{
		double start = elapsed_seconds(), at, on;

		busy(share(late, more));
		at = met[omp_get_thread_num()] = elapsed_seconds();
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
	add_late(met);
	add_late(came);
	at_ends += 2 * (over - begun) - all - waits;
}

static omp_lock_t lock;
static omp_nest_lock_t nest_lock;

enum way {
	UNNAMED,
	NAMED,
	LOCK,
	NEST_LOCK,
	COPYPRIVATE,
	WAYS
};

/* One after the other: adds what the thread waited since `begun`. */
static void hold(double begun, double *waited)
{
	*waited += elapsed_seconds() - begun;
	busy(5 * SHARE);
}

static void enter(enum way way, double *waited)
{
	double begun = elapsed_seconds(), copied = 0;

	switch (way) {
	case UNNAMED:
#pragma omp critical
		hold(begun, waited);
		break;
	case NAMED:
#pragma omp critical(named)
		hold(begun, waited);
		break;
	case LOCK:
		omp_set_lock(&lock);
		hold(begun, waited);
		omp_unset_lock(&lock);
		break;
	case NEST_LOCK:
		omp_set_nest_lock(&nest_lock);
		omp_set_nest_lock(&nest_lock);
		hold(begun, waited);
		omp_unset_nest_lock(&nest_lock);
		omp_unset_nest_lock(&nest_lock);
		break;
	default:
#pragma omp single copyprivate(copied)
	{
		copied = busy(5 * SHARE);
		begun = elapsed_seconds();
	}
	/* The one for the value, the other until it has been read. */
#pragma omp atomic
		*waited += elapsed_seconds() - begun;
	}
}

static double in_turns(enum way way)
{
	double waited = 0;

#pragma omp parallel num_threads(2)
	enter(way, &waited);
	return waited;
}

static double in_all_ways(void)
{
	double waited = 0;

	omp_init_lock(&lock);
	omp_init_nest_lock(&nest_lock);
	for (int way = 0; way < WAYS; way++)
		waited += in_turns(way);
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
	printf("truth critical %.6f\n", in_all_ways());
	return 0;
}
