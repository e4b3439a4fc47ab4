/* SPDX-License-Identifier: BSD-3-Clause */
/* sample.c - see sample.h. */
#include "collect/sampling/sample.h"

#include "arch/registers.h"
#include "collect/collect.h"
#include "collect/python/python-gil.h"
#include "collect/regions/region-handler.h"
#include "collect/threads/omp-team.h"

SIGSAFE live_ref sample_context(struct thread *t, const ucontext_t *context,
				int *why)
{
	const mcontext_t *m = &context->uc_mcontext;
	struct cfi_frame top = { registers_pc(m), registers_sp(m),
				 registers_fp(m) };
	struct region *region = region_known(t, top.sp);

	if (omp_teams)
		omp_team_look(t, top.sp);
	if (region && !collect_settings()->internals)
		return region_node(t, region, why);
	if (t->starter.main)
		thread_starter_follow(t);
	return thread_path(t, &top, true, m, why);
}

SIGSAFE static bool add_sample(struct thread *t, live_ref node,
			       const struct weights *w)
{
	return tree_add(&t->tree, node, METRIC_SAMPLES, 1) &&
	       tree_add(&t->tree, node, METRIC_CPU_TIME, w->cpu_ns) &&
	       tree_add(&t->tree, node, METRIC_WALL_TIME, w->wall_ns);
}

SIGSAFE static void keep_period(struct thread *t, enum timer_signal kind,
				const struct weights *w)
{
	uint64_t period = sample_period_keep(&t->period, kind, w);

	if (period && clock_set_period(&t->clock, period))
		sample_period_set(&t->period, period);
	else if (period && t->clock.timer_only)
		sample_period_exchange(&t->period, LIVE_CLOCK_TIMER,
				       clock_period_ns());
	else if (period)
		sample_period_set(&t->period, 0);
	t->live->samples++;
	t->live->timer_samples += t->clock.timer_only;
	t->live->cpu_ns += w->cpu_ns;
	t->live->wall_ns += w->wall_ns;
	t->live->last_ns = w->now_ns;
}

SIGSAFE void sample_put(struct thread *t, enum timer_signal kind, live_ref node,
			const struct weights *w)
{
	if (!add_sample(t, node, w)) {
		thread_lost(t, LOSS_DROPPED_FULL);
		return;
	}
	keep_period(t, kind, w);
	if (t->wait_events.wanted || wait_events_of_all)
		wait_events_add_point(t, node, w->now_ns, w->wall_ns);
	if (t->history)
		history_sample(t->history, node, w->now_ns, w->wall_ns,
			       w->cpu_ns);
}

/*
 * Who waits is not on a core.  With a clock of CPU time, what elapsed since the
 * last sample may not have been here.
 */
SIGSAFE void sample_put_gil(struct thread *t, live_ref node,
			    const struct weights *w,
			    const mcontext_t *registers)
{
	struct unwinder *u = &t->unwinder;
	bool elapsed = clock_wall() == LIVE_WALL_SAMPLED;
	uint64_t ns = elapsed ? w->wall_ns : w->cpu_ns;

	switch (python_gil_now(&u->python, &u->reader, registers)) {
	case PYTHON_GIL_HELD:
		if (tree_add(&t->tree, node, METRIC_GIL_HELD, ns))
			t->live->gil_held_most_ns = t->live->gil_held_ns += ns;
		break;
	case PYTHON_GIL_WAITED:
		if (elapsed && tree_add(&t->tree, node, METRIC_GIL_WAIT, ns))
			t->live->gil_wait_ns += ns;
		break;
	default:
		break;
	}
}

void sample_late(struct thread *t, live_ref node)
{
	enum timer_signal kind = t->late;
	struct weights w;

	t->late = TIMER_NONE;
	if (!t->ready || !node ||
	    !sample_period_take_over(&t->period, &t->next_period)) {
		thread_lost(t, LOSS_DROPPED_BUSY);
		return;
	}
	t->live->ticks++;
	sample_period_weigh(&t->period, kind, &w);
	sample_put(t, kind, node, &w);
}
