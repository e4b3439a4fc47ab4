/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c [N [threads|processes]] - on one core two threads give each other
 * a byte N times, two switches for each; or two processes yield N times each.
 * Prints the microseconds of CPU time for a switch.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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

static int pass_bytes(void)
{
	pthread_t thread;
	char byte = 'x';

	if (pipe(there) || pipe(back) ||
	    pthread_create(&thread, NULL, answer, NULL))
		return 1;
	for (int i = 0; i < times; i++)
		if (write(there[1], &byte, 1) != 1 ||
		    read(back[0], &byte, 1) != 1)
			return 1;
	return 0;
}

static int yield_in_two(void)
{
	pid_t child = fork();

	for (int i = 0; i < times; i++)
		sched_yield();
	if (!child)
		_exit(0);
	return child < 0 || waitpid(child, NULL, 0) != child;
}

static double seconds(int who)
{
	struct rusage usage;

	getrusage(who, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		times = atoi(argv[1]);
	stay_here();
	if (argc > 2 && !strcmp(argv[2], "processes") ? yield_in_two()
						      : pass_bytes())
		return 1;
	printf("%.3f\n", (seconds(RUSAGE_SELF) + seconds(RUSAGE_CHILDREN)) /
				 (2.0 * times) * 1e6);
	return 0;
}
