/* SPDX-License-Identifier: BSD-3-Clause */
/* switches.c - counts switches, and chooses the clock by what they cost. */
#include <sys/resource.h>

#include "collect/collect.h"
#include "collect/sampling/switches.h"
#include "collect/thread.h"
#include "collect/source.h"

enum {
	PER_MILLION = 1000000,
	LOOK_NS = 20000000, /* of CPU time, between looks */
	/* A thousand switches at most: those of a start are no way of life. */
	MOST_DEBT_NS = 10000000,
	CALM_NS = 500000000, /* at first; each return doubles it */
};

SIGSAFE static uint64_t of_this_thread(void)
{
	struct rusage usage = { 0 };

	sys2(SYS_getrusage, RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

/*
 * What threads that have ended spent above what they might.  A program whose
 * threads live shorter than it takes to look would exceed its budget with each
 * of them.
 */
static int64_t debt_of_ended_ns;

SIGSAFE static bool is_large_debt(int64_t debt_ns)
{
	return debt_ns > MOST_DEBT_NS;
}

/* None of its switches has cost anything. */
static void switches_start(struct thread *t)
{
	t->clock.timer_only = !clock_turns() && is_large_debt(debt_of_ended_ns);
	t->switches.count = of_this_thread();
	t->switches.first_cpu_ns = t->ready ? t->live->cpu_ns : 0;
	t->switches.first_switch_ns = t->ready ? t->live->switch_ns : 0;
	t->switches.cpu_ns = t->switches.first_cpu_ns;
	t->switches.debt_ns = 0;
	t->switches.calm_ns = 0;
	t->switches.calm_enough_ns = CALM_NS;
}

/* Those since the last count go to the profile: how many. */
SIGSAFE static uint64_t switches_count(struct thread *t)
{
	uint64_t now = of_this_thread(), came = now - t->switches.count;

	t->switches.count = now;
	if (t->ready && t->clock.page) {
		t->live->switches += came;
		t->live->switch_ns += came * clock_price_ns(&t->clock);
	}
	return came;
}

SIGSAFE static void leave_event(struct thread *t)
{
	if (!clock_to_timer(&t->clock, t->tid))
		return;
	sample_period_exchange(&t->period, LIVE_CLOCK_TIMER, clock_period_ns());
	t->switches.debt_ns = 0;
	t->switches.calm_ns = 0;
}

SIGSAFE static void return_to_event(struct thread *t)
{
	if (!clock_to_event(&t->clock, t->tid))
		return;
	sample_period_exchange(&t->period, clock_kind(), clock_period_ns());
	t->switches.calm_enough_ns *= 2;
}

/* Of a stretch of CPU time: what samples leave of the budget, at least half. */
SIGSAFE static uint64_t share_of(const struct thread *t, uint64_t passed)
{
	uint64_t all = collect_settings()->budget;
	uint64_t samples = t->live->handler_ns * PER_MILLION / t->live->cpu_ns;

	return passed * (all - (samples < all / 2 ? samples : all / 2)) /
	       PER_MILLION;
}

SIGSAFE static void weigh_event(struct thread *t, uint64_t cost,
				uint64_t passed)
{
	t->switches.debt_ns += (int64_t)cost - (int64_t)share_of(t, passed);
	if (t->switches.debt_ns < 0)
		t->switches.debt_ns = 0;
	if (is_large_debt(t->switches.debt_ns))
		leave_event(t);
}

SIGSAFE static void weigh_timer(struct thread *t, uint64_t would_cost,
				uint64_t passed)
{
	uint64_t half = passed * collect_settings()->budget / 2 / PER_MILLION;

	t->switches.calm_ns =
		would_cost <= half ? t->switches.calm_ns + passed : 0;
	if (t->switches.calm_ns >= t->switches.calm_enough_ns)
		return_to_event(t);
}

SIGSAFE void switches_look(struct thread *t)
{
	uint64_t passed = t->live->cpu_ns - t->switches.cpu_ns;
	uint64_t cost;

	if (passed < LOOK_NS)
		return;
	t->switches.cpu_ns = t->live->cpu_ns;
	cost = switches_count(t) * clock_price_ns(&t->clock);
	if (clock_turns())
		(t->clock.timer_only ? return_to_event : leave_event)(t);
	else if (!collect_settings()->budget)
		return;
	else if (t->clock.timer_only)
		weigh_timer(t, cost, passed);
	else
		weigh_event(t, cost, passed);
}

/* The list of threads is locked. */
static void leave_debt(const struct thread *t)
{
	uint64_t cost = t->live->switch_ns - t->switches.first_switch_ns;
	uint64_t passed = t->live->cpu_ns - t->switches.first_cpu_ns;
	int64_t debt =
		debt_of_ended_ns + (int64_t)cost - (int64_t)share_of(t, passed);

	debt_of_ended_ns = debt > 0 ? debt : 0;
}

/* In a sandbox the kernel may not be asked. */
static void switches_last(struct thread *t)
{
	if (t->clock.page && thread_open())
		switches_count(t);
	if (t->ready && t->live->cpu_ns && collect_settings()->budget)
		leave_debt(t);
}

const struct source source_switches = {
	.reset = switches_start,
	.thread_last = switches_last,
};
