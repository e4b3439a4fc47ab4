/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c [N] - two threads on one core give each other a byte N times:
 * two switches for each.  Prints the microseconds of CPU time for a switch.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int there[2], back[2];
static int times = 100000;

static void stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *answer(void *unused)
{
	char byte;

	while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1)
		;
	return unused;
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	pthread_t thread;
	char byte = 'x';

	if (argc > 1)
		times = atoi(argv[1]);
	stay_here();
	if (pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, answer, NULL))
		return 1;
	for (int i = 0; i < times; i++)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			return 1;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f\n", (seconds(usage.ru_utime) + seconds(usage.ru_stime)) /
				 (2.0 * times) * 1e6);
	return 0;
}
