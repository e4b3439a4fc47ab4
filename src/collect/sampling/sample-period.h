/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sample-period.h - when the timer signals of a thread's clock are due, and
 * what time each of its samples stands for.
 *
 * A periodic clock is given a new, random period every few timer signals: a
 * program that repeats itself cannot keep step with it.  Its samples stand for
 * the time between the trace points when timer signals were due, not between
 * those when they came: a timer signal inside a long system call comes when
 * that is over, and would otherwise take its time from the code that follows.
 * The sum of all weights is the thread's CPU time, whatever was late or lost.
 *
 * Threads   A period belongs to one thread.  The owner takes over what another
 *           one begins for it (struct next_period).
 * Signals   All marked functions may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"
#include "collect/sampling/clock.h"

struct sample_period {
	bool periodic;      /* a timer signal for each period of CPU time */
	bool varies;        /* it is given random periods */
	bool fixed;         /* it cannot be given any other */
	bool user_only;     /* its timer signals are of user time */
	uint64_t mean_ns;   /* of the periods to come */
	uint64_t period_ns; /* as the clock is set now */
	uint64_t stood_ns;  /* CPU time up to which samples stand */
	int64_t lead_ns;  /* stood_ns - CPU time of the last sample, or less */
	uint64_t cpu_ns;  /* of the last sample, where timer signals are not
			     periodic */
	uint64_t wall_ns; /* of the last sample, monotonic */
	uint64_t random;
	int32_t left; /* timer signals until the period may change */
};

/* A sequence lock: those who write hold one of their own. */
struct next_period {
	uint32_t written; /* odd: there is none, the clock stands still */
	uint32_t taken;
	struct sample_period period;
};

/* What a sample stands for, and what that makes of the period. */
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
SIGSAFE uint64_t sample_period_start(struct sample_period *p,
				     uint64_t period_ns, enum live_clock clock,
				     uint64_t cpu_ns, uint64_t odds);

/* The clock is going to stand still; it goes on with that period. */
SIGSAFE void sample_period_withdraw(struct next_period *next);
SIGSAFE void sample_period_hand_over(struct next_period *next,
				     const struct sample_period *p);

/* By the owner, before it uses the period; false: its clock stands still. */
SIGSAFE bool sample_period_take_over(struct sample_period *p,
				     struct next_period *next);

/* Its thread's clock has become another one, with a period of the mean. */
SIGSAFE void sample_period_exchange(struct sample_period *p,
				    enum live_clock clock, uint64_t period_ns);

/* The mean of the periods to come; a much longer one does not wait its turn. */
SIGSAFE void sample_period_aim(struct sample_period *p, uint64_t mean_ns);

/* It was started with a period that it keeps. */
SIGSAFE void sample_period_fix(struct sample_period *p, uint64_t cpu_ns);

/* Of the first period, how much is left. */
uint64_t sample_period_left(const struct sample_period *p, uint64_t cpu_ns);

/* The time until here belongs to nobody. */
SIGSAFE void sample_period_restart(struct sample_period *p, uint64_t cpu_ns);

SIGSAFE void sample_period_weigh(const struct sample_period *p,
				 enum timer_signal kind, struct weights *w);
/* The sample was kept: the period that the clock should get; 0: as it is. */
SIGSAFE uint64_t sample_period_keep(struct sample_period *p,
				    enum timer_signal kind,
				    const struct weights *w);
/* It got that; 0: it cannot be given any other than it has. */
SIGSAFE void sample_period_set(struct sample_period *p, uint64_t period_ns);
