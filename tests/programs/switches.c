/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c [SECONDS] - two threads on one core that give each other a byte
 * for SECONDS, with four times the work on one side, then one that computes
 * for twice as long: the first part switches 10,000 times a second, the second
 * part not at all, but for others who take the core.  It prints as `calm` the
 * longest time of the second part in which they did so fewer than 30 times in
 * each 20 ms.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "known.h"

static int there[2], back[2];
static double answered;

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

static KEPT void asks(double seconds)
{
	double start = cpu_seconds();
	char byte = 'x';

	do
		work(16000);
	while (write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1 &&
	       cpu_seconds() - start < seconds);
	close(there[1]);
	truth("asks", cpu_seconds() - start);
}

static KEPT void *answers(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1) {
		work(4000);
		if (write(back[1], &byte, 1) != 1)
			break;
	}
	answered = cpu_seconds();
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

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 1.5);
	pthread_t thread;

	stay_here();
	if (pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, answers, NULL))
		return 1;
	asks(seconds);
	pthread_join(thread, NULL);
	truth("answers", answered);
	computes(2 * seconds);
	usage();
	return 0;
}
