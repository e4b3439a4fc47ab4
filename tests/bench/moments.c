/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * moments.c MIB SAMPLES - what a sample of --trace costs by itself, while the
 * memory is filled and thinned again and again: nanoseconds of one, the mean
 * and the most, and the floor, which is to store the same 8 bytes into an
 * array that is as large.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "live/moments.h"

/* CPU time: others use the machine, too. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	size_t mib = argc > 1 ? strtoul(argv[1], NULL, 0) : 64;
	size_t samples = argc > 2 ? strtoul(argv[2], NULL, 0) : 50000000;
	uint32_t most = (uint32_t)((mib << 20) / sizeof(struct live_traced));
	struct live_traced *array = malloc(most * sizeof(*array));
	struct live_traced moment = { 0 };
	struct live_thread live = { 0 };
	struct moments list = { 0 };
	double start, floor, mean, most_ns = 0, last;
	struct arena arena;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/copse-bench-%d", (int)getpid());
	if (!array || arena_open(&arena, path, (mib + 8) << 20)) {
		fprintf(stderr, "moments: no memory for %zu MiB\n", mib);
		return 1;
	}
	unlink(path);
	start = now();
	for (size_t i = 0; i < samples; i++) {
		moment.time = (uint32_t)i;
		((volatile struct live_traced *)array)[i % most] = moment;
	}
	floor = (now() - start) / (double)samples;
	start = now();
	for (size_t i = 0; i < samples; i++) {
		moment.time = (uint32_t)i;
		moments_add(&list, &arena, &live, most, MOMENTS_THIN, &moment,
			    sizeof(moment));
	}
	mean = (now() - start) / (double)samples;
	/* Again from nothing, each by itself, with what interrupts take. */
	list = (struct moments){ 0 };
	live = (struct live_thread){ .moments = live.moments };
	last = now();
	for (size_t i = 0; i < 2 * (size_t)most; i++) {
		double at;

		moment.time = (uint32_t)i;
		moments_add(&list, &arena, &live, most, MOMENTS_THIN, &moment,
			    sizeof(moment));
		at = now();
		if (at - last > most_ns)
			most_ns = at - last;
		last = at;
	}
	printf("%zu MiB: a sample takes %.1f ns, a store %.1f; the longest of "
	       "%zu took %.0f ns; one is kept of %u\n",
	       mib, mean, floor, 2 * (size_t)most, most_ns, live.every);
	return 0;
}
