/* SPDX-License-Identifier: BSD-3-Clause */
/* timebase.c - two clocks at one moment, and the name of one of them. */
#include <fcntl.h>

#include "base/sys.h"
#include "base/timebase.h"

enum {
	TRIES = 5,
	BOOT_ID = 36, /* characters of it */
	LINK_SIZE = 64
};

SIGSAFE uint64_t timebase_clock(clockid_t clock)
{
	struct timespec t;

	if (sys2(SYS_clock_gettime, clock, &t))
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Between two readings of the one clock stands the other's: the closest. */
SIGSAFE void timebase_now(struct timebase *to)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = timebase_clock(CLOCK_MONOTONIC);
		uint64_t real = timebase_clock(CLOCK_REALTIME);
		uint64_t gap = timebase_clock(CLOCK_MONOTONIC) - before;

		if (gap >= best)
			continue;
		best = gap;
		to->real_ns = real;
		to->mono_ns = before + gap / 2;
	}
}

SIGSAFE static uint64_t hash_id_text(uint64_t sum, const char *text, long size)
{
	for (long i = 0; i < size; i++)
		sum = (sum ^ (unsigned char)text[i]) * 0x100000001b3u;
	return sum;
}

SIGSAFE uint64_t timebase_id(void)
{
	static const char boot[] = "/proc/sys/kernel/random/boot_id";
	long fd = sys4(SYS_openat, AT_FDCWD, boot, O_RDONLY | O_CLOEXEC, 0);
	char text[LINK_SIZE];
	uint64_t sum;
	long size;

	if (fd < 0)
		return 0;
	size = sys3(SYS_read, fd, text, BOOT_ID);
	sys1(SYS_close, fd);
	if (size != BOOT_ID)
		return 0;
	sum = hash_id_text(0xcbf29ce484222325u, text, size);
	/* Kernels without time namespaces have one clock. */
	size = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/ns/time", text,
		    sizeof(text));
	sum = hash_id_text(sum, text, size);
	return sum ? sum : 1;
}
