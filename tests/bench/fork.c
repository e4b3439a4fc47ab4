/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fork.c COUNT US MIB - that many children one after another, each of which
 * works for so many microseconds of CPU time, of a parent with so much memory:
 * microseconds of CPU time and page faults a child, the parent's part included.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double clock_us(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void work(double us)
{
	double end = clock_us(CLOCK_PROCESS_CPUTIME_ID) + us;

	while (clock_us(CLOCK_PROCESS_CPUTIME_ID) < end)
		;
}

static double used_us(int whose, long *faults)
{
	struct rusage used;

	getrusage(whose, &used);
	*faults = used.ru_minflt;
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 +
	       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 500;
	double us = argc > 2 ? atof(argv[2]) : 0, before, after;
	size_t size = argc > 3 ? (size_t)atol(argv[3]) << 20 : 0;
	char *memory = malloc(size + 1);
	long faults;

	if (!memory)
		return 1;
	memset(memory, 1, size + 1);
	work(50000); /* its first samples */
	before = used_us(RUSAGE_SELF, &faults);
	for (int i = 0; i < count; i++) {
		pid_t child = fork();

		if (!child) {
			work(us);
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) < 0)
			return 1;
	}
	after = used_us(RUSAGE_SELF, &faults) - before;
	after += used_us(RUSAGE_CHILDREN, &faults);
	printf("%.1f %.0f\n", after / count, (double)faults / count);
	return 0;
}
