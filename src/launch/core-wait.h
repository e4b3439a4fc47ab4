/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * core-wait.h - how long a thread waits for a core, as far as it can be true.
 *
 * The kernel counts that (schedstat).  From Linux 6.12 on, where cores are
 * crowded, it may count a sleep as well, when the thread wakes: a thread that
 * went to sleep stays on the list of those that want a core for a moment, and
 * may be moved to another core meanwhile.  Seen: 2 to 5 % of sleeps of 0.2 s,
 * eleven threads on two cores, Linux 6.18.
 *
 * So the count is taken at each look, and no more is believed than the time
 * since the look before, or since the thread was seen to sleep.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* What the kernel has counted at a time; the state is 0 before the first. */
struct core_count {
	uint64_t ran, waited, turns; /* nanoseconds, but for turns on a core */
	char state;
};

struct core_wait {
	uint64_t ns;             /* believed until the last look … */
	uint64_t look_ns;        /* … which was then: set it to the begin */
	uint64_t room;           /* that a wait may have had until then */
	struct core_count count; /* as it was then */
};

/* Of a process's first thread, zombie or not; `now` as process_clock(). */
void core_wait_look(struct core_wait *w, pid_t pid, uint64_t now);

void core_wait_add(struct core_wait *w, const struct core_count *c,
		   uint64_t now);
