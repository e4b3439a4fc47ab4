/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample-period.h - when the ticks of a thread's clock are due, and what time
 * each of its samples stands for.
 *
 * A periodic clock is given a new, random period every few ticks: a program
 * that repeats itself cannot keep step with it.  Its samples stand for the
 * time between the moments when ticks were due, not between those when they
 * came: a tick inside a long system call comes when that is over, and would
 * otherwise take its time from the code that follows.  The sum of all weights
 * is the thread's CPU time, whatever was late or lost.
 *
 * Threads   A pace belongs to one thread.
 * Signals   All marked functions may run in a handler.
 */
#ifndef COLLECT_SAMPLE_PERIOD_H
#define COLLECT_SAMPLE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/clock.h"

struct pace {
	bool periodic;      /* a tick for each period of CPU time */
	bool varies;        /* it is given random periods */
	bool fixed;         /* it cannot be given any other */
	bool user_only;     /* its ticks are of user time */
	uint64_t mean_ns;   /* of the periods to come */
	uint64_t period_ns; /* as the clock is set now */
	uint64_t stood_ns;  /* CPU time up to which samples stand */
	int64_t lead_ns;  /* stood_ns - CPU time of the last sample, or less */
	uint64_t cpu_ns;  /* of the last sample, where ticks are not periodic */
	uint64_t wall_ns; /* of the last sample, monotonic */
	uint64_t random;
	int32_t left; /* ticks until the period may change */
};

/* What a sample stands for, and what that makes of the pace. */
struct weights {
	uint64_t cpu_ns, wall_ns;
	uint64_t now_ns;   /* monotonic */
	uint64_t since_ns; /* CPU time since the last sample; not periodic */
	int64_t lead_ns;
	bool last; /* with its period */
};

/*
 * A clock is going to be started, at that CPU time of its thread: how long its
 * first period is to be.  It is a random part of one that began before, so that
 * a thread's last piece of one, which no sample stands for, is made up for.
 *
 * With `odds` of 0 it is a whole one; with more than 1 it is a random part
 * of so many: others alike end before a sample, and the one that has one stands
 * for them too.
 */
uint64_t pace_start(struct pace *p, uint64_t period_ns, enum live_clock clock,
		    uint64_t cpu_ns, uint64_t odds);

/* Its thread's clock has become another one, with a period of the mean. */
SIGSAFE void pace_exchange(struct pace *p, enum live_clock clock,
			   uint64_t period_ns);

/* It was started with a period that it keeps. */
void pace_fix(struct pace *p, uint64_t cpu_ns);

/* The time until here belongs to nobody. */
SIGSAFE void pace_restart(struct pace *p, uint64_t cpu_ns);

SIGSAFE void pace_weigh(const struct pace *p, enum tick tick,
			struct weights *w);
/* The sample was kept: the period that the clock should get; 0: as it is. */
SIGSAFE uint64_t pace_keep(struct pace *p, enum tick tick,
			   const struct weights *w);
/* It got that; 0: it cannot be given any other than it has. */
SIGSAFE void pace_set(struct pace *p, uint64_t period_ns);

#endif
