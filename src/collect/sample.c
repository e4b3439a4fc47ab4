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
	COST_EVERY = 16
};

/* A thread just back from the kernel stands behind a syscall instruction. */
SIGSAFE static bool after_system_call(const ucontext_t *context)
{
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];

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

SIGSAFE static bool add(struct thread *t, live_ref node, uint64_t cpu_ns,
			uint64_t wall_ns)
{
	return tree_add(&t->tree, node, METRIC_SAMPLES, 1) &&
	       tree_add(&t->tree, node, METRIC_CPU_TIME, cpu_ns) &&
	       tree_add(&t->tree, node, METRIC_WALL_TIME, wall_ns);
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

/* The time of a sample that is not kept goes to the next one. */
SIGSAFE static void take(struct thread *t, const ucontext_t *context,
			 enum tick tick)
{
	uint64_t wall = time_now(CLOCK_MONOTONIC);
	uint64_t cpu = time_now(CLOCK_THREAD_CPUTIME_ID);
	uint64_t cpu_ns = cpu - t->last_cpu_ns;
	uint64_t wall_ns = wall - t->last_wall_ns;
	enum loss lost;
	live_ref node;
	int why = -1;

	if (tick == TICK_LOCATE && !in_kernel(context, cpu_ns))
		return;
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
	if (!add(t, node, cpu_ns, wall_ns)) {
		thread_lost(t, LOSS_DROPPED_FULL);
		return;
	}
	t->last_cpu_ns = cpu;
	t->last_wall_ns = wall;
	t->live->samples++;
	t->live->cpu_ns += cpu_ns;
	t->live->wall_ns += wall_ns;
	t->live->last_ns = wall;
	count_cost(t, cpu);
}

/* While paused, time passes and belongs to nobody. */
SIGSAFE static void skip(struct thread *t)
{
	t->last_cpu_ns = time_now(CLOCK_THREAD_CPUTIME_ID);
	t->last_wall_ns = time_now(CLOCK_MONOTONIC);
}

SIGSAFE static void on_signal(int signum, siginfo_t *info, void *context)
{
	enum tick tick = clock_tick(info);
	struct thread *t = thread_self();
	int saved = errno;

	if (tick == TICK_FOREIGN) {
		interpose_pass_on(signum, info, context);
	} else if (t && t->busy) {
		thread_lost(t, LOSS_DROPPED_BUSY);
	} else if (t) {
		t->busy = true;
		if (collect_paused())
			skip(t);
		else
			take(t, context, tick);
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
