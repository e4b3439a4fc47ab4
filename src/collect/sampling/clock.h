/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.h - what makes samples: a kernel event or timer for each thread, and
 * the one signal that all of them use (doc/decisions/signal.md).
 *
 * No clock makes a system call return EINTR.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/settings.h"
#include "base/sigsafe.h"
#include "collect/transparency/descriptor.h"
#include "live/layout.h"

struct clock {
	int state;
	uint64_t mask;                /* of the thread that changes it */
	void *page, *switches;        /* of the perf events; NULL: none */
	struct descriptor descriptor; /* of the first one */
	int timer;
	bool has_timer;
	bool watches;    /* it is a timer of clock_watch() */
	bool timer_only; /* although there could be an event */
	bool brief;      /* its event has no descriptor: it is for one sample */
	uint64_t set_ns, sets; /* what changes of the event's period took */
};

/* What a signal means for the sampler. */
enum timer_signal {
	TIMER_NONE,   /* not ours: the program's */
	TIMER_CPU,    /* time on a core has passed */
	TIMER_SWITCH, /* the thread was off its core and is back */
	TIMER_LOCATE, /* a timer's, where an event of user time may be beside */
	TIMER_COUNT,  /* an event has come as often as its period says */
};

/* Choose the clock that this machine allows. */
void clock_init(const struct settings *settings);
SIGSAFE enum live_clock clock_kind(void);
SIGSAFE enum live_wall clock_wall(void);
SIGSAFE int clock_signal(void);
SIGSAFE uint64_t clock_period_ns(void);
/* An event may make SIGTRAPs: the kernel sends safe ones, no debugger is there.
 */
bool clock_can_trap(void);
SIGSAFE uint64_t clock_rate(void); /* samples per second, as asked for */

/*
 * Arm and disarm a thread's clock, from any thread of the process; false: none
 * to be had.  The first timer signal of one whose period can be changed is due
 * after first_ns.  Zeroed is stopped; to stop or start twice does nothing.
 */
SIGSAFE bool clock_start(struct clock *clock, uint32_t tid, uint64_t first_ns);
SIGSAFE void clock_stop(struct clock *clock);

/* A few ticks of CPU time, where nothing is measured, until clock_start(). */
SIGSAFE void clock_watch(struct clock *clock, uint32_t tid);

/* Of clocks that start from now on; false: it was so, or there are none. */
SIGSAFE bool clock_change_rate(uint64_t rate);

/* The clock of a thread's CPU time, for any thread of the process. */
SIGSAFE clockid_t clock_of_thread(uint32_t tid);

/*
 * The running clock of the calling thread becomes a timer alone, or an event of
 * the chosen kind again; false: it stays as it is.
 */
SIGSAFE bool clock_to_timer(struct clock *clock, uint32_t tid);
SIGSAFE bool clock_to_event(struct clock *clock, uint32_t tid);
SIGSAFE enum live_clock clock_kind_of(const struct clock *clock);
SIGSAFE bool clock_turns(void); /* for the tests: all the time */

/*
 * What an event costs at a switch of its thread, where the kernel stops it and
 * sets it again, as measured; 0: not known yet, or no event.
 */
SIGSAFE uint64_t clock_price_ns(const struct clock *clock);

/* In a forked child, whose clocks stayed with the parent. */
void clock_forget(struct clock *clock);

/* Another period from the next timer signal on; false: it keeps the one that it
 * has. */
SIGSAFE bool clock_can_change(const struct clock *clock);
SIGSAFE bool clock_set_period(struct clock *clock, uint64_t period_ns);
/* Of the calling thread, a brief one: another event, which has a descriptor.
   Where none is to be had any more, a timer takes over: false. */
SIGSAFE bool clock_renew(struct clock *clock, uint64_t period_ns);

SIGSAFE enum timer_signal clock_timer_signal(const siginfo_t *info);
