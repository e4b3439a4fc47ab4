/* SPDX-License-Identifier: BSD-3-Clause */
/* sample-period.c - due times, weights and random periods. */
#include "collect/sampling/sample-period.h"
#include "collect/time.h"

enum {
	/*
	 * A change of period costs two settings of a hardware timer.  Runs
	 * of timer signals that come faster than this are as long in time, but
	 * not more than some times as many timer signals.
	 */
	LEAST_RUN = 4,
	MOST_RUN = 12,
	USUAL_NS = 1000000,
	MOST_TIMES = 4,
	PATIENCE = 12, /* timer signals, for one that comes when it is due */
	/*
	 * A timer signal of user time stands for user time, and what its own
	 * signal took: other time in the kernel is left to the next timer
	 * signal there.
	 */
	SIGNAL_NS = 32000,
	LEAST_NS = 20000, /* of a first period */
	STEPS = 16,
};

/*
 * Periods in thousandths of the mean, each step as likely: a density that falls
 * with the third power.  A loop of any length is then met in step as often as
 * of any other, by its weight; of uniform periods the long ones would be.
 */
static const uint64_t spread[STEPS + 1] = {
	699, 718,  739,  762,  787,  814,  845,  879,  917,
	962, 1014, 1075, 1149, 1240, 1358, 1517, 1748,
};

SIGSAFE static uint64_t next_period_random(struct sample_period *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random >> 11;
}

SIGSAFE void sample_period_restart(struct sample_period *p, uint64_t cpu_ns)
{
	p->stood_ns = p->cpu_ns = cpu_ns;
	p->wall_ns = time_asked(CLOCK_MONOTONIC);
	p->lead_ns = 0;
}

SIGSAFE void sample_period_exchange(struct sample_period *p,
				    enum live_clock clock, uint64_t period_ns)
{
	p->periodic = clock == LIVE_CLOCK_SIGTRAP;
	p->varies = clock != LIVE_CLOCK_TIMER;
	p->user_only = clock == LIVE_CLOCK_MIXED;
	p->mean_ns = p->period_ns = period_ns;
	p->left = -PATIENCE;
}

SIGSAFE void sample_period_aim(struct sample_period *p, uint64_t mean_ns)
{
	if (mean_ns > 2 * p->mean_ns)
		p->left = -PATIENCE;
	p->mean_ns = mean_ns;
}

/*
 * Each moment of the thread is to be stood for in the mean.  One that is n
 * periods after its start has a timer signal when the first is 0 to n periods
 * before it, of `odds` that are as likely: the first stands for the difference.
 */
SIGSAFE static uint64_t draw_first_period(struct sample_period *p,
					  uint64_t odds)
{
	uint64_t mean = p->mean_ns,
		 first = next_period_random(p) % (odds * mean);
	uint64_t stands = (odds - first / mean) * mean;

	if (first < LEAST_NS)
		first = LEAST_NS;
	p->stood_ns += first - stands;
	p->lead_ns = (int64_t)(first - stands);
	/* Without periods it is the most that a timer signal of user time may
	 * be. */
	p->period_ns = p->periodic ? first : stands;
	return first;
}

SIGSAFE uint64_t sample_period_start(struct sample_period *p,
				     uint64_t period_ns, enum live_clock clock,
				     uint64_t cpu_ns, uint64_t odds)
{
	*p = (struct sample_period){
		.random = (cpu_ns + 1) * 0x9e3779b97f4a7c15u,
	};
	sample_period_exchange(p, clock, period_ns);
	sample_period_restart(p, cpu_ns);
	if (!p->varies || !odds || period_ns <= LEAST_NS)
		return period_ns;
	return draw_first_period(p, odds);
}

SIGSAFE void sample_period_withdraw(struct next_period *next)
{
	__atomic_store_n(&next->written, next->written | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

SIGSAFE void sample_period_hand_over(struct next_period *next,
				     const struct sample_period *p)
{
	sample_period_withdraw(next);
	next->period = *p;
	__atomic_store_n(&next->written, next->written + 1, __ATOMIC_RELEASE);
}

SIGSAFE bool sample_period_take_over(struct sample_period *p,
				     struct next_period *next)
{
	uint32_t written = __atomic_load_n(&next->written, __ATOMIC_ACQUIRE);
	struct sample_period copy;

	if (written & 1)
		return false;
	if (written == next->taken)
		return true;
	copy = next->period;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (__atomic_load_n(&next->written, __ATOMIC_RELAXED) != written)
		return false;
	*p = copy;
	next->taken = written;
	return true;
}

uint64_t sample_period_left(const struct sample_period *p, uint64_t cpu_ns)
{
	int64_t due = (int64_t)(p->stood_ns + p->period_ns) - p->lead_ns;
	int64_t left = due - (int64_t)cpu_ns;

	return left > LEAST_NS ? (uint64_t)left : LEAST_NS;
}

SIGSAFE void sample_period_fix(struct sample_period *p, uint64_t cpu_ns)
{
	p->fixed = true;
	p->period_ns = p->mean_ns;
	sample_period_restart(p, cpu_ns);
}

/*
 * Is this timer signal surely the only one that was due since the last sample?
 * Wall time answers for most timer signals, and costs a tenth of the CPU clock.
 * One of a short first period may come while the first sample opens a profile:
 * it is not due.
 */
SIGSAFE static bool is_only_signal_due(const struct sample_period *p,
				       int64_t elapsed_ns)
{
	int64_t passed = elapsed_ns - p->lead_ns;
	int64_t half = (int64_t)(p->period_ns / 2);

	return p->periodic && p->left > 0 && passed > half && passed < 3 * half;
}

/* The time between due timer signals that lie in `passed`, at least one. */
SIGSAFE static uint64_t time_of_due_signals(const struct sample_period *p,
					    uint64_t passed)
{
	uint64_t slack = p->period_ns / 8;
	uint64_t due = (passed + slack) / p->period_ns * p->period_ns;

	return due && due < passed ? due : passed;
}

/*
 * The period changes at a timer signal that came when it was due, so that what
 * delays timer signals does not choose what the next one meets.  Where none
 * does, one will do that stands for all until now: its thread was in no other
 * code since.
 */
SIGSAFE static bool is_last_signal_of_period(const struct sample_period *p,
					     uint64_t passed, uint64_t due)
{
	return p->left <= 0 &&
	       (passed - due < p->period_ns / 16 || p->left <= -PATIENCE);
}

SIGSAFE static void weigh_by_cpu(const struct sample_period *p,
				 enum timer_signal kind, struct weights *w)
{
	uint64_t cpu = time_now(CLOCK_THREAD_CPUTIME_ID);
	/* A thread's samples begin to count before it does: a difference. */
	int64_t since = (int64_t)(cpu - p->stood_ns);
	uint64_t passed = since > 0 ? (uint64_t)since : 0;

	if (kind == TIMER_SWITCH) {
		w->cpu_ns = 0;
	} else if (p->periodic) {
		w->cpu_ns = time_of_due_signals(p, passed);
		w->last = is_last_signal_of_period(p, passed, w->cpu_ns);
	}
	if (w->last || !p->periodic)
		w->cpu_ns = passed;
	w->since_ns = cpu - p->cpu_ns;
	if (kind == TIMER_CPU && p->user_only &&
	    w->cpu_ns > p->period_ns + SIGNAL_NS)
		w->cpu_ns = p->period_ns + SIGNAL_NS;
	w->lead_ns = (int64_t)(p->stood_ns + w->cpu_ns - cpu);
}

/*
 * Time off the core goes to whoever comes back from it: what elapsed, less
 * the CPU time that is not for this sample.
 */
SIGSAFE void sample_period_weigh(const struct sample_period *p,
				 enum timer_signal kind, struct weights *w)
{
	int64_t elapsed, wall;

	*w = (struct weights){ .now_ns = time_now(CLOCK_MONOTONIC) };
	elapsed = (int64_t)(w->now_ns - p->wall_ns);
	if (kind == TIMER_CPU && is_only_signal_due(p, elapsed)) {
		w->cpu_ns = p->period_ns;
		w->lead_ns = p->lead_ns + (int64_t)w->cpu_ns - elapsed;
	} else {
		weigh_by_cpu(p, kind, w);
	}
	wall = elapsed + w->lead_ns - p->lead_ns;
	w->wall_ns = wall > (int64_t)w->cpu_ns ? (uint64_t)wall : w->cpu_ns;
}

/* Between two steps all are as likely. */
SIGSAFE static uint64_t draw_period(struct sample_period *p)
{
	uint64_t number = next_period_random(p), step = number % STEPS;
	uint64_t part = number / STEPS % 1024;
	uint64_t more = spread[step + 1] - spread[step];

	return p->mean_ns * (1024 * spread[step] + part * more) / 1024 / 1000;
}

/* How many timer signals have the period that is drawn next. */
SIGSAFE static int32_t draw_run(struct sample_period *p)
{
	uint64_t run =
		LEAST_RUN + next_period_random(p) % (MOST_RUN - LEAST_RUN + 1);
	uint64_t times = USUAL_NS / p->mean_ns;

	if (times > MOST_TIMES)
		times = MOST_TIMES;
	return (int32_t)(times > 1 ? times * run : run);
}

SIGSAFE static uint64_t next_period(struct sample_period *p)
{
	if (!p->varies)
		return p->period_ns == p->mean_ns ? 0 : p->mean_ns;
	p->left = draw_run(p);
	return draw_period(p);
}

SIGSAFE uint64_t sample_period_keep(struct sample_period *p,
				    enum timer_signal kind,
				    const struct weights *w)
{
	uint64_t next = 0;

	p->stood_ns += w->cpu_ns;
	p->lead_ns = w->lead_ns;
	p->wall_ns = w->now_ns;
	p->cpu_ns += w->since_ns;
	if (kind != TIMER_CPU || p->fixed)
		return 0;
	if (p->left > -PATIENCE)
		p->left--;
	if (w->last || (!p->periodic && p->left <= 0))
		next = next_period(p);
	return next;
}

SIGSAFE void sample_period_set(struct sample_period *p, uint64_t period_ns)
{
	p->fixed = !period_ns;
	if (period_ns)
		p->period_ns = period_ns;
}
