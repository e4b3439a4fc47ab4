/* SPDX-License-Identifier: BSD-3-Clause */
/* timer-signal.c - the handler of the timer signal: takes one sample. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "arch/page-size.h"
#include "arch/restart.h"
#include "arch/signal-frame.h"
#include "collect/collect.h"
#include "collect/sampling/sample.h"
#include "collect/sampling/switches.h"
#include "collect/steering.h"
#include "collect/threads/omp-team.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/transparency/alt-stack.h"
#include "collect/transparency/eintr-restart.h"
#include "collect/transparency/interpose.h"
#include "collect/transparency/sigtrap-blocked.h"

enum {
	COST_EVERY = 64,
	ENOUGH = 16 * COST_EVERY, /* samples, to know what one costs; … */
	LEAST = 8,                /* … these, the first being dear, … */
	ENOUGH_NS = 5000000,      /* … where they took so much */
	PER_MILLION = 1000000,
	SLOWEST_NS = 100000000, /* the longest period that a budget asks for */
	EXPENSIVE_NS = 10000,   /* of CPU time */
	SUSPECTS = 64,          /* that are measured after one that seems so */
	OWN_ROOM = 16384,
};

/* Of the counter: some 10 us, at 3 GHz. */
#define EXPENSIVE_COUNTS (8 * TIMESTAMP_PER_US)

/* The pc of a thread just back from the kernel is behind a syscall. */
SIGSAFE static bool after_system_call(const ucontext_t *context)
{
	uintptr_t pc = registers_pc(&context->uc_mcontext);

	/* The page before may not be mapped. */
	return pc % PAGE_SMALLEST && restart_is_behind(&context->uc_mcontext);
}

/*
 * With an event of user time beside it, the timer is wanted only where time
 * passed that the event did not see: in the kernel.
 */
SIGSAFE static bool in_kernel(const struct thread *t, const ucontext_t *context,
			      uint64_t cpu_ns)
{
	uint64_t period = t->period.period_ns;

	return cpu_ns > period + period / 2 || after_system_call(context);
}

/*
 * What the clock's samples may cost, in millionths of the CPU time: events have
 * the period that was asked for, and what their timer signals cost is taken
 * from the clock, as what it takes at switches; half of the budget is left for
 * samples, or no time would be known.
 */
SIGSAFE static uint64_t clock_budget(const struct thread *t)
{
	uint64_t all = collect_settings()->budget, else_ns = 0;

	else_ns = t->events_ns + t->live->switch_ns;
	if (t->live->cpu_ns)
		else_ns = else_ns * PER_MILLION / t->live->cpu_ns;
	return all - (else_ns < all / 2 ? else_ns : all / 2);
}

SIGSAFE static uint64_t team_members(void)
{
	return __atomic_load_n(&omp_team_largest, __ATOMIC_RELAXED);
}

SIGSAFE static bool is_cost_known(const struct thread *t)
{
	uint64_t samples = t->live->samples;

	return samples * team_members() >= ENOUGH ||
	       (samples >= LEAST &&
		t->live->handler_ns * team_members() >= ENOUGH_NS);
}

/*
 * The rate is lowered when samples cost more than the budget, up to here.  The
 * members of a team share it: all wait at the end for the sampled one.
 */
SIGSAFE static void keep_to_budget(struct thread *t)
{
	uint64_t allowed = clock_budget(t) / team_members(), cost;
	uint64_t period = clock_period_ns();

	if (!allowed || !clock_can_change(&t->clock) || !is_cost_known(t))
		return;
	cost = t->live->handler_ns / t->live->samples;
	if (cost * PER_MILLION > period * allowed)
		period = cost * PER_MILLION / allowed;
	sample_period_aim(&t->period,
			  period < SLOWEST_NS ? period : SLOWEST_NS);
	if (t->period.mean_ns > t->live->slowest_ns)
		t->live->slowest_ns = t->period.mean_ns;
}

/*
 * What sampling costs, in CPU time, which an interruption does not touch.
 * That clock is expensive: after the first samples one of some stands for all.
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

/* The node of a timer signal, with what was counted since the last one; 0:
 * none. */
SIGSAFE static live_ref sample_node(struct thread *t, const ucontext_t *context)
{
	enum loss lost;
	live_ref node;
	int why = -1;

	if (!thread_ready(t, &lost)) {
		thread_lost(t, lost);
		return 0;
	}
	t->live->ticks++;
	node = sample_context(t, context, &why);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
	if (node) {
		counters_put(t, node);
		if (omp_teams)
			omp_team_sampled(node);
	}
	return node;
}

/* The time of a sample that is not kept goes to the next one. */
SIGSAFE static void take_sample(struct thread *t, const ucontext_t *context,
				enum timer_signal kind)
{
	struct weights w;
	live_ref node;

	sample_period_weigh(&t->period, kind, &w);
	if (kind == TIMER_LOCATE && !in_kernel(t, context, w.since_ns)) {
		if (counters_due(t))
			sample_node(t, context);
		return;
	}
	node = sample_node(t, context);
	if (!node)
		return;
	sample_put(t, kind, node, &w);
	if (python_layout && t->unwinder.python.known)
		sample_put_gil(t, node, &w, &context->uc_mcontext);
}

/*
 * A timer signal that finds its thread busy in the collector.  The periods of
 * an event are the next timer signal's.
 */
SIGSAFE static void count_signal_of_busy_thread(struct thread *t,
						enum timer_signal kind)
{
	if (kind == TIMER_COUNT)
		return;
	if (t->leaves && !t->late && kind != TIMER_LOCATE)
		t->late = kind;
	else
		thread_lost(t, LOSS_DROPPED_BUSY);
}

SIGSAFE static void sample_thread(struct thread *t, const ucontext_t *context,
				  enum timer_signal kind)
{
	bool weighed = is_weighed(t);
	uint64_t since = weighed ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;
	uint64_t far = t->unwinder.far_ns;

	counters_read(t);
	take_sample(t, context, kind);
	counters_leave_out(t);
	far = t->unwinder.far_ns - far; /* it stands for no other's */
	if (t->ready)
		t->live->handler_ns += far;
	if (weighed && t->ready && t->live->samples)
		count_handler_cost(t, since + far);
}

/* Its cost is deducted from the clock's budget, see clock_budget(). */
SIGSAFE static void count_event_cost(struct thread *t,
				     const ucontext_t *context)
{
	bool weighed = t->ready && t->live->ticks % COST_EVERY == 0;
	uint64_t since = weighed ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;
	uint64_t took;

	counters_read(t);
	sample_node(t, context);
	counters_leave_out(t);
	if (!weighed)
		return;
	took = time_now(CLOCK_THREAD_CPUTIME_ID) - since;
	t->live->wrapper_ns += COST_EVERY * took;
	t->events_ns += COST_EVERY * took;
}

/*
 * A wait in a system call is not the next sample's, which meets another place.
 * For its core a thread waits anywhere: that may be in the handler before.
 */
SIGSAFE static bool has_waited(const struct thread *t, enum timer_signal kind,
			       const ucontext_t *context)
{
	return kind == TIMER_SWITCH && after_system_call(context) &&
	       time_now(CLOCK_MONOTONIC) - t->owed_at_ns >= t->owed_ns;
}

/*
 * A stack that takes longer to walk than a period would be walked again and
 * again, and the program stand still: after an expensive sample it has as long
 * as that took until the next, in CPU time, or for a wait in time.
 */
SIGSAFE static bool is_too_soon(struct thread *t, uint64_t cpu,
				enum timer_signal kind,
				const ucontext_t *context)
{
	if (cpu - t->owed_since_ns < t->owed_ns &&
	    !has_waited(t, kind, context))
		return true;
	t->owed_ns = 0;
	return false;
}

/* One that only a short first period has led to was not due. */
SIGSAFE static void count_slow_signal(struct thread *t, enum timer_signal kind,
				      uint64_t cpu)
{
	int64_t passed = (int64_t)(cpu - t->period.stood_ns);

	if (kind != TIMER_COUNT && passed > (int64_t)t->period.period_ns / 2)
		thread_lost(t, LOSS_DROPPED_SLOW);
}

/*
 * What seems expensive may have lost its core meanwhile.  So those that follow
 * are measured by the CPU clock, which costs more itself, from `cpu` on.
 */
SIGSAFE static void measure_handler(struct thread *t, uint64_t start,
				    uint64_t cpu)
{
	uint64_t now;

	if (!t->suspects) {
		if (timestamp_read() - start > EXPENSIVE_COUNTS)
			t->suspects = SUSPECTS;
		return;
	}
	now = time_now(CLOCK_THREAD_CPUTIME_ID);
	t->suspects--;
	if (now - cpu < EXPENSIVE_NS)
		return;
	t->suspects = SUSPECTS;
	t->owed_since_ns = now;
	t->owed_at_ns = time_now(CLOCK_MONOTONIC);
	t->owed_ns = now - cpu;
}

SIGSAFE static void on_own_timer_signal(struct thread *t,
					enum timer_signal kind,
					const ucontext_t *context)
{
	uint64_t start = timestamp_read();
	uint64_t cpu = t->suspects ? time_now(CLOCK_THREAD_CPUTIME_ID) : 0;

	if (t->owed_ns && is_too_soon(t, cpu, kind, context)) {
		count_slow_signal(t, kind, cpu);
		return;
	}
	if (kind == TIMER_COUNT)
		count_event_cost(t, context);
	else
		sample_thread(t, context, kind);
	measure_handler(t, start, cpu);
}

/* On the thread's own stack, with room for this handler's frame. */
SIGSAFE static bool has_room_for_handler(const struct thread *t,
					 const ucontext_t *context)
{
	uintptr_t sp = registers_sp(&context->uc_mcontext);

	return sp > t->unwinder.low + OWN_ROOM && sp < t->unwinder.high;
}

/* True: it interrupted a sleep that is to go on, on the program's stack. */
SIGSAFE static bool on_timer_signal(struct thread *t, enum timer_signal kind,
				    ucontext_t *context)
{
	const mcontext_t *m = &context->uc_mcontext;
	bool busy = thread_is_busy(t, registers_sp(m));
	uintptr_t before = t->busy;
	bool open;

	unwind_expect(&t->unwinder, registers_pc(m));
	t->busy = (uintptr_t)&before; /* if only for thread_seal() */
	open = thread_open();
	if (open) {
		if (busy)
			count_signal_of_busy_thread(t, kind);
		else if (steering_look())
			; /* a period has begun, or none is */
		else if (collect_paused() ||
			 !sample_period_take_over(&t->period, &t->next_period))
			sample_period_restart(
				&t->period, time_now(CLOCK_THREAD_CPUTIME_ID));
		else
			on_own_timer_signal(t, kind, context);
		eintr_restart_settle(context);
	}
	t->busy = before;
	return open && has_room_for_handler(t, context) &&
	       eintr_restart_sleeps(context);
}

SIGSAFE static enum timer_signal kind_of_signal(const siginfo_t *info)
{
	enum timer_signal kind = clock_timer_signal(info);

	return kind == TIMER_NONE && counters_timer_signal(info) ? TIMER_COUNT
								 : kind;
}

/* On the program's stack: its own signal, or a sleep that goes on. */
SIGSAFE static void on_program_stack(int signum, siginfo_t *info, void *context)
{
	bool noticed = false;
	int saved = errno;

	if (kind_of_signal(info) == TIMER_NONE)
		noticed = interpose_pass_on(signum, info, context);
	else if (eintr_restart_sleeps(context))
		eintr_restart_sleep(context);
	if (thread_self() && !noticed)
		eintr_waits_mark(context);
	errno = saved;
}

SIGSAFE static void on_signal(int signum, siginfo_t *info, void *context)
{
	enum timer_signal kind = kind_of_signal(info);
	struct thread *t = thread_self();
	bool leave = kind == TIMER_NONE;
	int saved = errno;

	if (kind == TIMER_LOCATE && t && !t->clock.page)
		kind = TIMER_CPU;
	if (kind != TIMER_NONE && t)
		leave = on_timer_signal(t, kind, context);
	errno = saved;
	if (leave)
		alt_stack_leave(signal_frame_of_handler(), on_program_stack,
				interpose_on_alt_stack(), signum, info,
				context);
	else if (t)
		eintr_waits_mark(context);
}

int timer_signal_init(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART |
						SA_ONSTACK };

	/*
	 * Nothing interrupts the handler, nor do the C library's own signals,
	 * which sigfillset() leaves out.  Where a thread is cancelled, glibc's
	 * handler (2.41 and later) looks whether it interrupted a call that
	 * waits: interrupting this handler it does nothing, and the call goes
	 * on for ever.
	 */
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	return interpose_take_signal(clock_signal(), &action);
}
