/* SPDX-License-Identifier: BSD-3-Clause */
/* step-loops.c - see step-pattern.h. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "base/err.h"
#include "profile/steps/step-pattern.h"

#define EVIDENCE 13   /* bits: of chance, 1 of 8,192 */
#define STEADY   0.5  /* of the other contexts in the loop, at least */
#define AROUND   1.5  /* turns before the first and after the last, at most */
#define REFINES  1.5  /* turns for each outer call: the same loop */
#define INNER    2    /* steps of an inner loop in a turn of the outer */
#define RANDOM   0.46 /* of intervals are regular by chance */
#define REGULAR  0.6  /* is a loop without order, if as regular */
#define STEADIER 0.8  /* as regular: rather the step than an inner loop */
#define OUTPUT   0.1  /* of the time between turns: less is no step, … */
#define DUMPS    0.3  /* … nor this, if the inner loop is that regular */
#define BURST    0.5  /* of the time, if it seems the same loop */

enum {
	PARTNERS = 16,   /* contexts that one is compared with */
	ALONE = 8,       /* calls in a row show a loop */
	TURNS_ALONE = 8, /* of a loop without a partner, at least */
	FUNCTIONS = 4,   /* in order: more than output has */
	TOGETHER = 8,    /* calls, at most, that a function makes each time */
	LOOKED_AT = 1024 /* calls */
};

struct loops {
	struct profile *p;
	uint32_t thread; /* the one with the most stamps */
	uint32_t *turns; /* by node: how often its calls came after others */
	struct profile_step **at; /* by number of calls, then by time */
	size_t count;
	struct profile_step **around; /* possible outer loops */
	size_t around_count;
	double *plain, *with; /* intervals, while two are compared */
};

static const struct profile_stamp *stamps_of(const struct loops *l,
					     const struct profile_step *s)
{
	return &l->p->stamps[s->first];
}

static bool has_all_stamps(const struct profile_step *s)
{
	return s->count == s->calls;
}

static double steps_of(const struct profile_step *s)
{
	return (double)s->calls / s->per;
}

/*
 * Turns: a walk over all calls in the order of time.
 */

struct loop_event {
	uint64_t ns;
	uint32_t node, step; /* the step: an index into `at` */
};

struct call_group { /* calls of a context in one turn of a function */
	uint32_t function, each; /* node; calls in each turn; 0: no group */
	uint32_t turn, calls;    /* the last turn, and calls in it */
};

ORDER_BY(by_event_time, struct loop_event, ASC(ns) ?: ASC(node))

/* One more call in its turn; no group if the one before had others. */
static void group_count(struct call_group *g, uint32_t turn)
{
	if (turn != g->turn) {
		if (g->turn && g->calls != g->each)
			g->each = 0;
		g->turn = turn;
		g->calls = 0;
	}
	g->calls++;
}

/*
 * A node of a call's path that was not in the path of the call before begins
 * another turn.  With groups, turns are counted again.
 */
static void count_turns(struct loops *l, const struct loop_event *events,
			size_t count, uint32_t *seen, struct call_group *groups)
{
	size_t size = l->p->node_count;

	memset(seen, 0, size * sizeof(*seen));
	memset(l->turns, 0, size * sizeof(*l->turns));
	for (size_t i = 0; i < count; i++) {
		for (uint32_t n = events[i].node; n;
		     n = l->p->nodes[n].parent) {
			/* The first call came after none. */
			l->turns[n] += seen[n] != i || !i;
			seen[n] = (uint32_t)i + 1;
		}
		if (groups && groups[events[i].step].each)
			group_count(&groups[events[i].step],
				    l->turns[groups[events[i].step].function]);
	}
}

/* The function that calls it several times in a turn, judged by numbers. */
static struct call_group calls_together(const struct loops *l,
					const struct profile_step *s)
{
	uint32_t n = s->node;

	while (n && l->turns[n] >= s->count)
		n = l->p->nodes[n].parent;
	if (!n || !has_all_stamps(s) || l->turns[n] < LOOP_ROUNDS_LEAST ||
	    s->count % l->turns[n] || s->count / l->turns[n] > TOGETHER)
		return (struct call_group){ 0 };
	return (struct call_group){ .function = n,
				    .each = s->count / l->turns[n] };
}

/*
 * LAMMPS sends two to six messages in a step from one line, of a function that
 * alternates with others: these calls are one step, whatever clocks show.
 */
static int find_groups(struct loops *l, const struct loop_event *events,
		       size_t count, uint32_t *seen)
{
	struct call_group *groups = calloc(l->count + 1, sizeof(*groups));
	double regular = 0;

	if (!groups)
		return no_memory();
	for (size_t i = 0; i < l->count; i++)
		groups[i] = calls_together(l, l->at[i]);
	count_turns(l, events, count, seen, groups);
	for (size_t i = 0; i < l->count && regular >= 0; i++) {
		struct profile_step *s = l->at[i];

		if (!groups[i].each || groups[i].calls != groups[i].each)
			continue;
		regular =
			step_regular(stamps_of(l, s), s->count, groups[i].each);
		s->per = groups[i].each;
		s->regular = regular;
	}
	free(groups);
	return regular < 0 ? no_memory() : 0;
}

static int find_turns(struct loops *l)
{
	const struct profile *p = l->p;
	struct loop_event *events = calloc(p->stamp_count + 1, sizeof(*events));
	uint32_t *seen = calloc(p->node_count + 1, sizeof(*seen));
	bool is_there = events && seen;
	size_t count = 0;
	int err = -ENOMEM;

	l->turns = calloc(p->node_count + 1, sizeof(*l->turns));
	if (is_there && l->turns) {
		for (size_t i = 0; i < l->count; i++)
			for (uint32_t k = 0; k < l->at[i]->count; k++)
				events[count++] = (struct loop_event){
					stamps_of(l, l->at[i])[k].ns,
					l->at[i]->node, (uint32_t)i
				};
		qsort(events, count, sizeof(*events), by_event_time);
		count_turns(l, events, count, seen, NULL);
		err = find_groups(l, events, count, seen);
	}
	free(events);
	free(seen);
	return err ? no_memory() : 0;
}

/*
 * Order.
 */

static bool is_in_turns(const struct profile_stamp *a,
			const struct profile_stamp *b, uint32_t count)
{
	uint32_t misses = 0, each = count / LOOKED_AT + 1, seen = 0;

	if (a->ns > b->ns) {
		const struct profile_stamp *first = b;

		b = a;
		a = first;
	}
	for (uint32_t i = 0; i < count; i += each, seen++)
		misses += a[i].ns > b[i].ns ||
			  (i + 1 < count && b[i].ns > a[i + 1].ns);
	return misses <= seen / 16;
}

/* Bits of evidence in two contexts that come in turns. */
static double bits_of_turns(uint64_t calls)
{
	double n = (double)calls;

	return 2 * n - log2(n) / 2 - 1.83;
}

/* How often the other is called in each turn, while all its stamps are kept. */
enum steadiness {
	ELSEWHERE, /* never, or too seldom */
	UNSTEADY,
	STEADY_ONCE, /* equally often in four of five turns */
	STEADY_OFTEN
};

static enum steadiness steadiness_of(const struct loops *l,
				     const struct profile_step *of,
				     const struct profile_step *other)
{
	const struct profile_stamp *a = stamps_of(l, of),
				   *b = stamps_of(l, other);
	uint32_t count = has_all_stamps(other) ? other->count : other->head;
	uint32_t tally[LOOKED_AT] = { 0 }, turns = 0, most = 0, k = 0;
	bool any = false;

	while (turns + 1 < of->count && turns < LOOKED_AT) {
		uint32_t calls = 0;

		for (; k < count && b[k].ns < a[turns + 1].ns; k++)
			calls += b[k].ns > a[turns].ns;
		if (k == count && count < other->count)
			break;
		any |= calls > 0;
		calls = calls < LOOKED_AT ? calls : LOOKED_AT - 1;
		if (++tally[calls] > tally[most])
			most = calls;
		turns++;
	}
	if (!any || turns + 1 < LOOP_ROUNDS_LEAST)
		return ELSEWHERE;
	if (!most || tally[most] + turns / 5 < turns)
		return UNSTEADY;
	return most > 1 && turns >= TURNS_ALONE ? STEADY_OFTEN : STEADY_ONCE;
}

/*
 * Are half of the loop's other contexts called equally often in each turn?
 * often: one of them has to be called several times in a turn.
 */
static bool is_steady_loop(const struct loops *l, const struct profile_step *of,
			   bool often)
{
	uint32_t others = 0, steady = 0, several = 0;

	for (size_t i = 0; i < l->count; i++) {
		const struct profile_step *s = l->at[i];
		enum steadiness is;

		if (s->ordered || s == of || s->calls * 2 < of->calls)
			continue;
		is = steadiness_of(l, of, s);
		others += is != ELSEWHERE;
		steady += is > UNSTEADY;
		several += is == STEADY_OFTEN;
	}
	return steady >= STEADY * others && (several || !often);
}

static uint32_t caller_of_step(const struct loops *l,
			       const struct profile_step *s)
{
	return l->p->nodes[s->node].parent;
}

/* Adds a caller; false: it is there already. */
static bool caller_put(uint32_t *callers, size_t count, uint32_t caller)
{
	for (size_t i = 0; i < count; i++)
		if (callers[i] == caller)
			return false;
	callers[count] = caller;
	return true;
}

/*
 * Contexts first … end - 1 are called equally often.  Order within one function
 * shows only how often it was called, so other callers are the evidence.
 */
static void find_order(struct loops *l, size_t first, size_t end)
{
	struct profile_step *of = l->at[first], *with[PARTNERS];
	uint32_t callers[PARTNERS + 1] = { caller_of_step(l, of) };
	size_t count = 0, others = 0;

	if (of->ordered || !has_all_stamps(of))
		return;
	for (size_t i = first + 1; i < end && count < PARTNERS; i++) {
		struct profile_step *s = l->at[i];

		if (s->ordered || !has_all_stamps(s) ||
		    !is_in_turns(stamps_of(l, of), stamps_of(l, s), of->count))
			continue;
		with[count++] = s;
		others += caller_put(callers, others + 1, caller_of_step(l, s));
	}
	if ((double)others * bits_of_turns(of->calls) < EVIDENCE) {
		of->ordered = of->per == 1 && is_steady_loop(l, of, true);
		return;
	}
	for (size_t i = 0; i < count; i++)
		with[i]->ordered = 1;
	of->ordered = is_steady_loop(l, of, false) ? 1 + (uint32_t)others : 0;
	for (size_t i = 0; i < count; i++)
		with[i]->ordered = of->ordered;
}

static void find_orders(struct loops *l)
{
	for (size_t i = 0, end; i < l->count; i = end) {
		for (end = i + 1;
		     end < l->count && l->at[end]->calls == l->at[i]->calls;)
			end++;
		for (size_t k = i;
		     k < end && l->at[k]->calls >= LOOP_ROUNDS_LEAST; k++)
			find_order(l, k, end);
	}
}

/*
 * Nesting.
 */

static double calls_until(const struct loops *l, const struct profile_step *s,
			  uint64_t ns)
{
	const struct profile_stamp *at = stamps_of(l, s);
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (at[middle].ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low <= s->head ? low
			      : s->head + (double)(low - s->head) * s->stride;
}

/* Hardly more inner calls are before and after it than in a turn. */
static bool is_loop_around(const struct loops *l, const struct profile_step *s,
			   const struct profile_step *inner)
{
	const struct profile_stamp *at = stamps_of(l, s);
	double turn = (double)inner->calls / (double)s->calls;
	double before = calls_until(l, inner, at->ns);
	double until = calls_until(l, inner, at[s->count - 1].ns);

	return before <= AROUND * turn + 1 &&
	       (double)inner->calls - until <=
		       (AROUND + s->stride) * turn + inner->stride;
}

/* Where the two paths part: the turns of the first one's branch. */
static uint32_t turns_where_paths_part(const struct loops *l, uint32_t node,
				       uint32_t other)
{
	uint32_t last = node;

	while (node != other)
		if (node > other) {
			last = node;
			node = l->p->nodes[node].parent;
		} else {
			other = l->p->nodes[other].parent;
		}
	return l->turns[last];
}

ORDER_BY(by_seconds, double, ORDER(*a, *b))

/*
 * By how much intervals of `s` are longer if they contain a call of `outer`, as
 * a share of all their time; 1: no interval is without one.
 */
static double share_between(const struct loops *l, const struct profile_step *s,
			    const struct profile_step *outer)
{
	const struct profile_stamp *a = stamps_of(l, s),
				   *b = stamps_of(l, outer);
	uint32_t count = s->stride > 1 ? s->head : s->count, k = 0;
	double *plain = l->plain, *with = l->with;
	uint32_t plains = 0, withs = 0;
	double usual, longer;

	for (uint32_t i = 0; i + s->per < count; i += s->per) {
		double length = (double)(a[i + s->per].ns - a[i].ns);
		bool has = false;

		for (; k < outer->count && b[k].ns < a[i + s->per].ns; k++)
			has |= b[k].ns >= a[i].ns;
		if (has)
			with[withs++] = length;
		else
			plain[plains++] = length;
	}
	if (!plains || withs < 3)
		return 1;
	qsort(plain, plains, sizeof(*plain), by_seconds);
	qsort(with, withs, sizeof(*with), by_seconds);
	usual = plain[plains / 2];
	longer = with[withs / 2];
	/* Medians: on busy cores one interval in a hundred has all the time. */
	return withs * (longer - usual) / (withs * longer + plains * usual);
}

/* Is `s`, which has more steps, inside the other loop, or is that one only a
 * part of some of its steps (OFTENER)? */
enum nesting {
	BESIDE,
	INSIDE,
	OFTENER
};

static enum nesting nesting_of(const struct loops *l,
			       const struct profile_step *s,
			       const struct profile_step *outer)
{
	double share, least = OUTPUT;

	if (steps_of(s) < INNER * steps_of(outer) ||
	    !is_loop_around(l, outer, s))
		return BESIDE;
	/* Order is exact; a pattern that leaves calls over may be none. */
	if (s->ordered && outer->calls % outer->per)
		return BESIDE;
	share = share_between(l, s, outer);
	if (turns_where_paths_part(l, s->node, outer->node) >
	    REFINES * outer->calls)
		least = BURST;
	else if (s->regular >= STEADIER && outer->ordered < FUNCTIONS)
		least = DUMPS;
	return share >= least ? INSIDE : OFTENER;
}

static bool is_inner_loop(const struct loops *l, const struct profile_step *s)
{
	for (size_t i = 0; i < l->around_count; i++)
		if (nesting_of(l, s, l->around[i]) == INSIDE)
			return true;
	return false;
}

static bool is_part_of_outer_loop(const struct loops *l,
				  const struct profile_step *s)
{
	for (size_t i = 0; i < l->around_count; i++)
		if (l->around[i]->outer &&
		    nesting_of(l, l->around[i], s) == OFTENER)
			return true;
	return false;
}

/* Inner loops are found first: only outer ones have parts. */
static void find_nesting(struct loops *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->at[i]->ordered || l->at[i]->regular >= REGULAR)
			l->around[l->around_count++] = l->at[i];
	for (size_t i = 0; i < l->count; i++)
		l->at[i]->outer =
			(l->at[i]->ordered || l->at[i]->regular > 0) &&
			!is_inner_loop(l, l->at[i]);
	for (size_t i = 0; i < l->count; i++)
		if (l->at[i]->outer && is_part_of_outer_loop(l, l->at[i]))
			l->at[i]->outer = 0;
}

/*
 * Chance.
 */

/*
 * Random calls are as regular as this, with three standard deviations added.  A
 * call that comes several times before any other is in a loop.
 */
static bool is_by_chance(const struct loops *l, const struct profile_step *s)
{
	return !s->marked && !s->ordered && s->per == 1 &&
	       ALONE * (double)l->turns[s->node] > (double)s->calls &&
	       s->regular < RANDOM + 1.5 / sqrt((double)s->calls);
}

/*
 * All of it.
 */

static uint32_t thread_of_steps(const struct profile *p)
{
	uint32_t *counts = calloc(p->thread_count + 1, sizeof(*counts));
	uint32_t most = 0;

	for (size_t i = 0; i < p->step_count && counts; i++) {
		uint32_t thread = p->steps[i].thread;

		counts[thread] += p->steps[i].count;
		if (counts[thread] > counts[most])
			most = thread;
	}
	free(counts);
	return most;
}

static int by_calls(const void *x, const void *y, void *of)
{
	const struct profile_step *a = *(struct profile_step *const *)x;
	const struct profile_step *b = *(struct profile_step *const *)y;
	int order = ORDER(a->calls, b->calls);

	return order ? order
		     : ORDER(stamps_of(of, a)->ns, stamps_of(of, b)->ns);
}

int step_loops(struct profile *p)
{
	struct loops l = { .p = p, .thread = thread_of_steps(p) };
	int err;

	l.at = calloc(p->step_count + 1, sizeof(*l.at));
	l.around = calloc(p->step_count + 1, sizeof(*l.around));
	l.plain = calloc(2 * p->stamp_count + 1, sizeof(*l.plain));
	l.with = l.plain ? l.plain + p->stamp_count : NULL;
	err = l.at && l.around && l.plain ? 0 : no_memory();
	for (size_t i = 0; i < p->step_count && !err; i++) {
		struct profile_step *s = &p->steps[i];

		s->outer = s->regular > 0;
		if (s->thread == l.thread && !s->marked && s->count > 1)
			l.at[l.count++] = s;
	}
	if (!err)
		err = find_turns(&l);
	if (!err) {
		qsort_r(l.at, l.count, sizeof(*l.at), by_calls, &l);
		find_orders(&l);
		for (size_t i = 0; i < l.count; i++)
			if (is_by_chance(&l, l.at[i]))
				l.at[i]->regular = l.at[i]->outer = 0;
		find_nesting(&l);
	}
	free(l.turns);
	free(l.plain);
	free(l.around);
	free(l.at);
	return err;
}
