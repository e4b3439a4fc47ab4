/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attached.c - what copse attach is to see, and not to be seen by:
 *
 *   shares SECONDS [THREADS]  2/3 of CPU time in two_parts(), 1/3 in one_part()
 *   deep SECONDS FRAMES       the same below so many frames of 300 bytes
 *   waits SECONDS             sleeps in sleeper(), below a frame pointer
 *   calm SECONDS              calls that a signal or a stop would end early
 *   kernel SECONDS            of CPU time, in system calls
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

enum {
	THREADS_MOST = 1024
};

/* Mutable: what the command line says. */
static double seconds;

KEPT static double two_parts(void)
{
	return work_for(2 * next_round() / 3);
}

KEPT static double one_part(void)
{
	return work_for(next_round() / 3);
}

KEPT static void *work_in_parts(void *unused)
{
	double until = cpu_seconds() + seconds, two = 0, one = 0;

	(void)unused;
	while (cpu_seconds() < until) {
		two += two_parts();
		one += one_part();
	}
	truth("two_parts", two);
	truth("one_part", one);
	return NULL;
}

static void shares(int threads)
{
	static pthread_t all[THREADS_MOST];

	for (int i = 1; i < threads && i < THREADS_MOST; i++)
		pthread_create(&all[i], NULL, work_in_parts, NULL);
	work_in_parts(NULL);
	for (int i = 1; i < threads && i < THREADS_MOST; i++)
		pthread_join(all[i], NULL);
}

KEPT static int deeper(int frames)
{
	volatile char room[300];

	room[frames % 300] = (char)frames;
	if (frames)
		return deeper(frames - 1) + room[frames % 300];
	work_in_parts(NULL);
	return room[0];
}

/* Its room is as large as it is asked for, so it needs a frame pointer. */
KEPT static void sleeper(size_t size)
{
	volatile char *room = __builtin_alloca(size);
	const struct timespec pause = { 0, 50000000 };
	double until = elapsed_seconds() + seconds;

	while (elapsed_seconds() < until) {
		nanosleep(&pause, NULL);
		room[size - 1] = 1;
	}
}

/* Each of these ends early when somebody interrupts it. */
KEPT static uint64_t calm(void)
{
	const struct timespec pause = { 0, 1000000 };
	uint64_t early = 0, sum = 1;
	double until = elapsed_seconds() + seconds;
	int ends[2];

	if (pipe(ends))
		return 1;
	while (elapsed_seconds() < until) {
		struct pollfd one = { ends[0], POLLIN, 0 };

		early += nanosleep(&pause, NULL) && errno == EINTR;
		early += poll(&one, 1, 1) < 0 && errno == EINTR;
	}
	for (int i = 0; i < 100000000; i++)
		sum = sum * 6364136223846793005u + 1442695040888963407u;
	printf("early %llu sum %llu\n", (unsigned long long)early,
	       (unsigned long long)sum);
	return early;
}

KEPT static void in_kernel(void)
{
	double until = cpu_seconds() + seconds;
	static char room[1 << 20];
	int fd = open("/dev/zero", O_RDONLY);

	while (cpu_seconds() < until)
		if (read(fd, room, sizeof(room)) < 0)
			break;
	close(fd);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "shares";
	int number = argc > 3 ? atoi(argv[3]) : 1;

	seconds = argc > 2 ? atof(argv[2]) : 1;
	if (!strcmp(what, "shares"))
		shares(number);
	else if (!strcmp(what, "deep"))
		deeper(number);
	else if (!strcmp(what, "waits"))
		sleeper((size_t)number + 100);
	else if (!strcmp(what, "calm"))
		return calm() != 0;
	else
		in_kernel();
	usage();
	return 0;
}
