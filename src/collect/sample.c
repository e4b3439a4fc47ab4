/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c - the signal handler: one sample, weighed by the time it is for. */
#include <errno.h>
#include <signal.h>
#include <ucontext.h>

#include "collect/collect.h"
#include "collect/interpose.h"
#include "collect/known.h"
#include "collect/thread.h"
#include "collect/time.h"

enum {
	COST_EVERY = 16,
	PAGE = 4096,
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
SIGSAFE static bool in_kernel(const ucontext_t *context, uint64_t cpu_ns)
{
	uint64_t period = clock_period_ns();

	return cpu_ns > period + period / 2 || after_system_call(context);
}

SIGSAFE static live_ref context_node(struct thread *t,
				     const ucontext_t *context, int *why)
{
	const greg_t *regs = context->uc_mcontext.gregs;
	struct cfi_frame top = { (uintptr_t)regs[REG_RIP],
				 (uintptr_t)regs[REG_RSP],
				 (uintptr_t)regs[REG_RBP] };
	struct region *region = known_region(t, top.sp);

	if (region && !collect_internals())
		return known_node(t, region, why);
	return unwind_path(&t->unwinder, &t->tree, &top, true,
			   &context->uc_stack, why);
}

struct weights {
	uint64_t cpu_ns, wall_ns;
};

SIGSAFE static bool add(struct thread *t, live_ref node,
			const struct weights *w)
{
	return tree_add(&t->tree, node, METRIC_SAMPLES, 1) &&
	       tree_add(&t->tree, node, METRIC_CPU_TIME, w->cpu_ns) &&
	       tree_add(&t->tree, node, METRIC_WALL_TIME, w->wall_ns);
}

/*
 * What sampling costs, in CPU time, which an interruption does not touch.
 * That clock is dear: after the first samples one of some stands for all.
 */
SIGSAFE static void count_cost(struct thread *t, uint64_t since)
{
	uint64_t times = 1;

	if (t->live->samples > COST_EVERY) {
		if (t->live->samples % COST_EVERY)
			return;
		times = COST_EVERY;
	}
	t->live->handler_ns +=
		times * (time_now(CLOCK_THREAD_CPUTIME_ID) - since);
}

/*
 * The periods that a tick stands for: one, more when ticks were lost.  A tick
 * inside a long system call is delivered late, so the time between deliveries
 * would favour code that runs in the kernel over the code that follows.  What
 * that rounding, or a clock that runs differently, adds up to is put right
 * once it is more than a period.
 */
SIGSAFE static uint64_t whole_periods(const struct thread *t, uint64_t cpu)
{
	uint64_t period = clock_period_ns();
	uint64_t periods = (cpu - t->tick_cpu_ns + period / 2) / period;
	int64_t ahead;

	periods = periods ? periods : 1;
	ahead = (int64_t)(t->counted_cpu_ns + periods * period - cpu);
	if (ahead > (int64_t)period)
		periods--;
	else if (ahead < -2 * (int64_t)period)
		periods += (uint64_t)-ahead / period - 1;
	return periods * period;
}

/* Time off the core goes to whoever comes back from it. */
SIGSAFE static struct weights weigh(const struct thread *t, enum tick tick,
				    uint64_t cpu, uint64_t wall)
{
	uint64_t wall_ns = wall - t->last_wall_ns;
	uint64_t cpu_ns = cpu - t->last_cpu_ns;
	struct weights w = { .cpu_ns = cpu - t->counted_cpu_ns };

	if (tick == TICK_SWITCH)
		w.cpu_ns = 0;
	else if (clock_is_periodic())
		w.cpu_ns = whole_periods(t, cpu);
	w.wall_ns = w.cpu_ns + (wall_ns > cpu_ns ? wall_ns - cpu_ns : 0);
	return w;
}

/* A tick of an event: its count, and no time. */
SIGSAFE static void take_count(struct thread *t, const ucontext_t *context)
{
	uint64_t since = time_now(CLOCK_THREAD_CPUTIME_ID);
	enum loss lost;
	live_ref node;
	int why = -1;

	if (!thread_ready(t, &lost)) {
		thread_lost(t, lost);
		return;
	}
	node = context_node(t, context, &why);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
	if (node)
		counters_put(t, node);
	if (!(t->live->ticks++ % COST_EVERY))
		t->live->handler_ns +=
			COST_EVERY *
			(time_now(CLOCK_THREAD_CPUTIME_ID) - since);
}

/* The time of a sample that is not kept goes to the next one. */
SIGSAFE static void take(struct thread *t, const ucontext_t *context,
			 enum tick tick)
{
	uint64_t wall = time_now(CLOCK_MONOTONIC);
	uint64_t cpu = time_now(CLOCK_THREAD_CPUTIME_ID);
	struct weights w = weigh(t, tick, cpu, wall);
	enum loss lost;
	live_ref node;
	int why = -1;

	if (tick == TICK_LOCATE && !in_kernel(context, w.cpu_ns)) {
		if (counters_due(t))
			take_count(t, context);
		return;
	}
	if (!thread_ready(t, &lost)) {
		thread_lost(t, lost);
		return;
	}
	t->live->ticks++;
	node = context_node(t, context, &why);
	if (why >= 0)
		thread_lost(t, (enum loss)why);
	if (!node)
		return;
	if (!add(t, node, &w)) {
		thread_lost(t, LOSS_DROPPED_FULL);
		return;
	}
	t->last_cpu_ns = cpu;
	t->last_wall_ns = wall;
	t->counted_cpu_ns += w.cpu_ns;
	if (tick != TICK_SWITCH)
		t->tick_cpu_ns = cpu;
	t->live->samples++;
	t->live->cpu_ns += w.cpu_ns;
	t->live->wall_ns += w.wall_ns;
	t->live->last_ns = wall;
	counters_put(t, node);
	count_cost(t, cpu);
}

/* While paused, time passes and belongs to nobody. */
SIGSAFE static void skip(struct thread *t)
{
	t->last_cpu_ns = time_now(CLOCK_THREAD_CPUTIME_ID);
	t->last_wall_ns = time_now(CLOCK_MONOTONIC);
	t->counted_cpu_ns = t->tick_cpu_ns = t->last_cpu_ns;
	counters_drop(t);
}

SIGSAFE static void on_signal(int signum, siginfo_t *info, void *context)
{
	enum tick tick = clock_tick(info);
	struct thread *t = thread_self();
	int saved = errno;

	if (tick == TICK_FOREIGN && counters_tick(info))
		tick = TICK_COUNT;
	if (tick == TICK_FOREIGN) {
		interpose_pass_on(signum, info, context);
	} else if (t && t->busy) {
		thread_lost(t, LOSS_DROPPED_BUSY);
	} else if (t) {
		t->busy = true;
		counters_read(t);
		if (collect_paused())
			skip(t);
		else if (tick == TICK_COUNT)
			take_count(t, context);
		else
			take(t, context, tick);
		counters_leave_out(t);
		t->busy = false;
	}
	errno = saved;
}

int sample_init(void)
{
	struct sigaction action = { .sa_sigaction = on_signal,
				    .sa_flags = SA_SIGINFO | SA_RESTART |
						SA_ONSTACK };

	/* Nothing interrupts the handler. */
	sigfillset(&action.sa_mask);
	return interpose_take_signal(clock_signal(), &action);
}
