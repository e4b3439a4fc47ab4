/* SPDX-License-Identifier: BSD-3-Clause */
/* io.c - nanoseconds of CPU time of calls for files, all in memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	TIMES = 300000
};

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define MEASURE(name, times, call)                                             \
	do {                                                                   \
		double since = cpu_ns();                                       \
                                                                               \
		for (int i = 0; i < (times); i++)                              \
			if ((call) < 0)                                        \
				return 1;                                      \
		printf("%s %.2f\n", name, (cpu_ns() - since) / (times));       \
	} while (0)

int main(void)
{
	char path[] = "/dev/shm/copse-bench-XXXXXX", block[64] = "";
	int fd = mkstemp(path), pipes[2];
	struct stat st;
	FILE *f = fopen(path, "r+");

	if (fd < 0 || !f || pipe(pipes) || write(fd, block, sizeof(block)) < 0)
		return 1;
	unlink(path);
	MEASURE("pread", TIMES, pread(fd, block, 8, 0));
	MEASURE("pwrite", TIMES, pwrite(fd, block, 8, 0));
	MEASURE("fstat", TIMES, fstat(fd, &st));
	MEASURE("stat", TIMES, stat("/dev/shm", &st));
	MEASURE("fwrite", 10 * TIMES,
		(i % 4096 ? 0 : fseek(f, 0, SEEK_SET),
		 (int)fwrite(block, 8, 1, f)));
	MEASURE("pipe", TIMES,
		(write(pipes[1], block, 8), read(pipes[0], block, 8)));
	return 0;
}
