/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c [SECONDS [PAIRS]] - two threads on one core that give each other a
 * byte for SECONDS, with four times the work on one side, then one that
 * computes for twice as long: the first part switches 10,000 times a second,
 * the second part not at all, but for others who take the core.  PAIRS of
 * threads, 1 if not given, share the first part, one after another.  It prints
 * as `calm` the longest time of the second part in which others took the core
 * fewer than 30 times in each 20 ms.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "known.h"

static int there[2], back[2];
static double asked, answered, pair_seconds;

static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static KEPT void work(int rounds)
{
	double x = known_sink;

	for (int i = 0; i < rounds; i++)
		x = x * 0.999999 + 1.0;
	known_sink = x;
}

static KEPT void *asks(void *unused)
{
	double start = cpu_seconds();
	char byte = 'x';

	do
		work(16000);
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1 &&
	       cpu_seconds() - start < pair_seconds);
	close(there[1]);
	asked += cpu_seconds() - start;
	return unused;
}

static KEPT void *answers(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1) {
		work(4000);
		if (write(back[1], &byte, 1) != 1)
			break;
	}
	answered += cpu_seconds();
	return unused;
}

static long switches(void)
{
	struct rusage u;

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

static KEPT void computes(double seconds)
{
	double computed = 0, calm = 0, longest = 0;

	while (computed < seconds) {
		long before = switches();
		double piece = work_for(0.02);

		computed += piece;
		calm = switches() - before < 30 ? calm + piece : 0;
		longest = calm > longest ? calm : longest;
	}
	truth("computes", computed);
	truth("calm", longest);
}

static bool run_pair(void)
{
	pthread_t asker, answerer;

	if (pipe(there) || pipe(back) ||
	    pthread_create(&answerer, NULL, answers, NULL) ||
	    pthread_create(&asker, NULL, asks, NULL))
		return false;
	pthread_join(asker, NULL);
	pthread_join(answerer, NULL);
	close(there[0]);
	close(back[0]);
	close(back[1]);
	return true;
}

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 1.5);
	int pairs = argc > 2 ? atoi(argv[2]) : 1;

	stay_here();
	pair_seconds = seconds / pairs;
	for (int i = 0; i < pairs; i++)
		if (!run_pair())
			return 1;
	truth("asks", asked);
	truth("answers", answered);
	computes(2 * seconds);
	usage();
	return 0;
}
