/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf-ring.h - samples of a thread of another process: a perf event that takes
 * a copy of its registers and of its stack, and the ring that these come in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <ucontext.h>

struct perf_ring {
	int fd; /* -1: closed */
	char *page;
	size_t size; /* of the mapping */
	uint32_t dump;
	uint64_t lost; /* samples that had no room in it */
	char *record;  /* room for one */
};

struct perf_sample {
	uint64_t ns;    /* CLOCK_MONOTONIC */
	uint64_t clock; /* CPU time of the thread since it was opened */
	uint32_t core;  /* that it ran on */
	bool user;      /* there are registers: what follows */
	mcontext_t registers;
	const char *stack; /* from the stack pointer up */
	size_t stack_size;
};

enum {
	PERF_RING_DUMP = 16 << 10,  /* bytes of the stack, at first */
	PERF_RING_DUMP_MOST = 65528 /* what the kernel can say */
};

/*
 * With so much room, a power of 2; `wakes`: who waits for its descriptor is
 * told of each sample.  0, or -errno: EPERM where no more memory may be locked,
 * too.
 */
int perf_ring_open(struct perf_ring *r, pid_t tid, uint64_t period_ns,
		   bool kernel, bool wakes, uint32_t dump, size_t room);
void perf_ring_close(struct perf_ring *r);

/* The next sample, which is good until the next call; false: none. */
bool perf_ring_next(struct perf_ring *r, struct perf_sample *to);

/* There may be one more. */
bool perf_ring_has_more(const struct perf_ring *r);

/* The thread's CPU time since it was opened, now. */
uint64_t perf_ring_clock(const struct perf_ring *r);
