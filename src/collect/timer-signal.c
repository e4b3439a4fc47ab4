/* SPDX-License-Identifier: BSD-3-Clause */
/* timer-signal.c - the handler of the timer signal: takes one sample. */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "collect/collect.h"
#include "collect/region-handler.h"
#include "collect/sample.h"
#include "collect/switches.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/eintr-waits.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	COST_EVERY = 64,
	ENOUGH = 16 * COST_EVERY, /* samples, to know what one costs */
	PER_MILLION = 1000000,
	SLOWEST_NS = 100000000, /* the longest period that a budget asks for */
	PAGE = 4096,
	/* Of the time stamp counter, some 10 and 200 us. */
	DEAR = 1 << 15,
	REST = 1 << 19,
	DEAR_NS = 10000, /* of CPU time */
	SURE = 3,        /* dear ones in a row */
};

/* A thread just back from the kernel stands behind a syscall instruction. */
SIGSAFE static bool after_system_call(const ucontext_t *context)
{
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

	/* The page before may not be mapped. */
	if ((pc & (PAGE - 1)) < 2)
		return false;
	return *(const volatile uint8_t *)(pc - 2) == 0x0f &&
	       *(const volatile uint8_t *)(pc - 1) == 0x05;
}

/*
 * With an event of user time beside it, the timer is wanted only where time
 * passed that the event did not see: in the kernel.
 */
SIGSAFE static bool in_kernel(const struct thread *t, const ucontext_t *context,
			      uint64_t cpu_ns)
{
	uint64_t period = t->pace.period_ns;

	return cpu_ns > period + period / 2 || after_system_call(context);
}

SIGSAFE static live_ref context_node(struct thread *t,
				     const ucontext_t *context, int *why)
{
	const greg_t *regs = context->uc_mcontext.gregs;
	struct cfi_frame top = { (uintptr_t)regs[REG_RIP],
				 (uintptr_t)regs[REG_RSP],
				 (uintptr_t)regs[REG_RBP] };
	struct region *region = region_known(t, top.sp);

	if (region && !collect_settings()->internals)
		return region_node(t, region, why);
	return thread_path(t, &top, true, regs, why);
}

/*
 * What the clock's samples may cost, in millionths of the CPU time: events have
 * the period that was asked for, and what their ticks cost is taken from the
 * clock, as what it takes at switches; half of the budget is left for samples,
 * or no time would be known.
 */
SIGSAFE static uint64_t clock_budget(const struct thread *t)
{
	uint64_t all = collect_settings()->budget, else_ns = 0;

	else_ns = t->events_ns + t->live->switch_ns;
	if (t->live->cpu_ns)
		else_ns = else_ns * PER_MILLION / t->live->cpu_ns;
	return all - (else_ns < all / 2 ? else_ns : all / 2);
}

/* The rate is lowered when samples cost more than the budget, up to here. */
SIGSAFE static void keep_to_budget(struct thread *t)
{
	uint64_t allowed = clock_budget(t), period = clock_period_ns();
	uint64_t cost = t->live->handler_ns / t->live->samples;

	if (!allowed || t->live->samples < ENOUGH ||
	    !clock_can_change(&t->clock))
		return;
	if (cost * PER_MILLION > period * allowed)
		period = cost * PER_MILLION / allowed;
	t->pace.mean_ns = period < SLOWEST_NS ? period : SLOWEST_NS;
	if (t->pace.mean_ns > t->live->slowest_ns)
		t->live->slowest_ns = t->pace.mean_ns;
}

/*
 * What sampling costs, in CPU time, which an interruption does not touch.
 * That clock is dear: after the first samples one of some stands for all.
 */
SIGSAFE static bool is_weighed(const struct thread *t)
{
	return !t->ready || t->live->samples < COST_EVERY ||
	       t->live->samples % COST_EVERY == 0;
}

SIGSAFE static void count_handler_cost(struct thread *t, uint64_t since)
{
	uint64_t times = t->live->samples <= COST_EVERY ? 1 : COST_EVERY;

	t->live->handler_ns +=
		times * (time_now(CLOCK_THREAD_CPUTIME_ID) - since);
	switches_look(t);
	keep_to_budget(t);
}

/* The node of a tick, with what was counted since the last one; 0: none. */
SIGSAFE static live_ref meet(struct thread *t, const ucontext_t *context)
{
	enum loss lost;
	live_ref node;
	int why = -1;

	if (!thread_ready(t, &lost)) {
		thread_lost(t, lost);
		return 0;
	}
	t->live->ticks++;
	node = context_node(t, context, &why);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
	if (node)
		counters_put(t, node);
	return node;
}

/* The time of a sample that is not kept goes to the next one. */
SIGSAFE static void take_sample(struct thread *t, const ucontext_t *context,
				enum tick tick)
{
	struct weights w;
	live_ref node;

	pace_weigh(&t->pace, tick, &w);
	if (tick == TICK_LOCATE && !in_kernel(t, context, w.since_ns)) {
		if (counters_due(t))
			meet(t, context);
		return;
	}
	node = meet(t, context);
	if (node)
		sample_put(t, tick, node, &w);
}

/*
 * A tick that finds its thread busy in the collector.  The periods of an event
 * are the next tick's.
 */
SIGSAFE static void meet_busy(struct thread *t, enum tick tick)
{
	if (tick == TICK_COUNT)
		return;
	if (t->leaves && !t->late && tick != TICK_LOCATE)
		t->late = tick;
	else
		thread_lost(t, LOSS_DROPPED_BUSY);
}

SIGSAFE static void sample(struct thread *t, const ucontext_t *context,
			   enum tick tick)
{
	bool weighed = is_weighed(t);
	uint64_t since = weighed ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;

	counters_read(t);
	take_sample(t, context, tick);
	counters_leave_out(t);
	if (weighed && t->ready && t->live->samples)
		count_handler_cost(t, since);
}

/* What it costs the clock saves, see clock_budget(). */
SIGSAFE static void count_event_cost(struct thread *t,
				     const ucontext_t *context)
{
	bool weighed = t->ready && t->live->ticks % COST_EVERY == 0;
	uint64_t since = weighed ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;
	uint64_t took;

	counters_read(t);
	meet(t, context);
	counters_leave_out(t);
	if (!weighed)
		return;
	took = time_now(CLOCK_THREAD_CPUTIME_ID) - since;
	t->live->wrapper_ns += COST_EVERY * took;
	t->events_ns += COST_EVERY * took;
}

/*
 * A stack that takes longer to walk than a period would be walked again and
 * again, and the program stand still: after a dear sample it has as long as
 * that took, or some periods, until the next.
 */
SIGSAFE static bool is_too_soon(const struct thread *t, uint64_t now)
{
	return t->tick_dear >= SURE &&
	       now - t->tick_end < (t->tick_took < REST ? t->tick_took : REST);
}

/*
 * What seems dear may have lost its core meanwhile, or what was in its caches.
 * So those that follow are measured by the CPU clock, which is dearer itself.
 */
SIGSAFE static void weigh_tick(struct thread *t, uint64_t start, uint64_t cpu)
{
	bool dear;

	t->tick_end = __rdtsc();
	t->tick_took = t->tick_end - start;
	dear = cpu ? time_now(CLOCK_THREAD_CPUTIME_ID) - cpu > DEAR_NS
		   : t->tick_took > DEAR;
	t->tick_dear = dear ? t->tick_dear + 1 : 0;
}

SIGSAFE static void on_own_tick(struct thread *t, enum tick tick,
				const ucontext_t *context)
{
	uint64_t start = __rdtsc(), cpu = 0;

	if (is_too_soon(t, start)) {
		if (tick != TICK_COUNT)
			thread_lost(t, LOSS_DROPPED_SLOW);
		return;
	}
	if (t->tick_dear)
		cpu = time_now(CLOCK_THREAD_CPUTIME_ID);
	if (tick == TICK_COUNT)
		count_event_cost(t, context);
	else
		sample(t, context, tick);
	weigh_tick(t, start, cpu);
}

SIGSAFE static void on_tick(struct thread *t, enum tick tick,
			    ucontext_t *context)
{
	const greg_t *regs = context->uc_mcontext.gregs;
	bool busy = thread_is_busy(t, (uintptr_t)regs[REG_RSP]);
	uintptr_t before = t->busy;
	bool open;

	unwind_expect(&t->unwinder, (uintptr_t)regs[REG_RIP]);
	t->busy = (uintptr_t)&before; /* if only for thread_seal() */
	open = thread_open();
	if (open) {
		if (busy)
			meet_busy(t, tick);
		else if (collect_paused())
			pace_restart(&t->pace,
				     time_now(CLOCK_THREAD_CPUTIME_ID));
		else
			on_own_tick(t, tick, context);
		restart_settle(context);
	}
	t->busy = before;
	if (open)
		restart_sleep(context);
}

SIGSAFE static void on_signal(int signum, siginfo_t *info, void *context)
{
	enum tick tick = clock_tick(info);
	struct thread *t = thread_self();
	bool noticed = false;
	int saved = errno;
	siginfo_t own;

	if (tick == TICK_FOREIGN && counters_tick(info))
		tick = TICK_COUNT;
	if (tick == TICK_LOCATE && t && !t->clock.page)
		tick = TICK_CPU;
	if (tick == TICK_FOREIGN)
		noticed = interpose_pass_on(signum, info, context);
	else if (t)
		on_tick(t, tick, context);
	if (held_due() && sent_take(thread_record, &own))
		noticed |= interpose_pass_on(signum, &own, context);
	if (t && !noticed)
		again_mark(context);
	errno = saved;
}

int timer_signal_init(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART |
						SA_ONSTACK };

	/* Nothing interrupts the handler. */
	sigfillset(&action.sa_mask);
	return interpose_take_signal(clock_signal(), &action);
}
