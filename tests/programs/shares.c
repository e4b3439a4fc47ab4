/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shares.c [SECONDS [THREADS]] - four functions with 10, 20, 30 and 40 % of
 * the CPU time, half of each below left() and half below right(); the SECONDS
 * are divided among the threads.
 *
 * Each function works until it has used its share of the round; an overshoot
 * is taken off its next turn.
 */
#include <pthread.h>

#include "known.h"

#define MOST_THREADS 1024

static __thread double round_s, used[4], owed[4];

static double seconds, sums[4]; /* of a thread; over all threads */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Once per function: the work must be in the function itself. */
#define WORK(i, share)                                                         \
	do {                                                                   \
		double now;                                                    \
                                                                               \
		owed[i] += (share)*round_s / 2;                                \
		now = work_for(owed[i]);                                       \
		owed[i] -= now;                                                \
		used[i] += now;                                                \
	} while (0)

static KEPT void ten(void)
{
	WORK(0, 0.1);
}

static KEPT void twenty(void)
{
	WORK(1, 0.2);
}

static KEPT void thirty(void)
{
	WORK(2, 0.3);
}

static KEPT void forty(void)
{
	WORK(3, 0.4);
}

static KEPT void left(void)
{
	ten();
	twenty();
	thirty();
	forty();
	__asm__ volatile("");
}

static KEPT void right(void)
{
	forty();
	thirty();
	twenty();
	ten();
	__asm__ volatile("");
}

/* No two threads do the same at the same time. */
static void *work(void *number)
{
	double end = cpu_seconds() + seconds;

	known_seed[0] = (unsigned short)(size_t)number;
	while (cpu_seconds() < end) {
		round_s = next_round();
		left();
		right();
	}
	pthread_mutex_lock(&lock);
	for (int i = 0; i < 4; i++)
		sums[i] += used[i];
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	size_t threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t others[MOST_THREADS];

	if (threads < 1 || threads > MOST_THREADS)
		return 2;
	seconds = seconds_wanted(argc, argv, 2.0) / (double)threads;
	for (size_t i = 1; i < threads; i++)
		if (pthread_create(&others[i], NULL, work, (void *)i))
			return 1;
	work(NULL);
	for (size_t i = 1; i < threads; i++)
		pthread_join(others[i], NULL);
	truth("ten", sums[0]);
	truth("twenty", sums[1]);
	truth("thirty", sums[2]);
	truth("forty", sums[3]);
	usage();
	return 0;
}
