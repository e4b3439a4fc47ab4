/* SPDX-License-Identifier: BSD-3-Clause */
/* step-choice.c - see steps.h. */
#include "waits/timeline/steps.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "live/layout.h"

#define NEARLY      0.7  /* of the weight of the most regular context */
#define SHARED      0.6  /* of the members have it */
#define OVERLAPS    0.2  /* of its time, or more: the same stretch */
#define WORTH_STEPS 0.01 /* of the run, at least, in all loops together */
#define WORTH_CLOCK 0.05 /* of the run, at least: messages without order */
#define WORTH_NAME  2e-4 /* seconds, at least: any other loop */
#define ABOUT       0.06 /* fewer or more calls: they answer what comes */

enum {
	STEPS_LEAST = 8, /* iterations, … */
	STEPS_SURE = 8,  /* calls in a step; more must leave none over */
	STEPS_LEAST_ORDERED = 4, /* … or these, by the order of calls */
	STRETCHES = 16, /* of calls, in which ranks are together; each has … */
	STRETCH_STEPS = 4 /* … so many steps, at least */
};

static bool is_same_node(const struct step_series *a,
			 const struct step_series *b)
{
	return a->node == b->node && !a->lines == !b->lines;
}

/* Candidates with another number of calls are another loop. */
static size_t end_of_context(const struct steps *steps, size_t first)
{
	size_t end = first + 1;

	while (end < steps->count &&
	       is_same_node(&steps->at[end], &steps->at[first]) &&
	       steps->at[end].calls == steps->at[first].calls)
		end++;
	return end;
}

bool step_is_usual(const struct steps *steps, const struct step_choice *c,
		   size_t i)
{
	return i == c->first ||
	       steps->at[i - 1].process != steps->at[i].process;
}

/* The series that the choice has of the process; NULL: none. */
static const struct step_series *series_of(const struct steps *steps,
					   const struct step_choice *c,
					   uint32_t process)
{
	size_t low = c->first, high = c->end;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (steps->at[middle].process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->end && steps->at[low].process == process
		       ? &steps->at[low]
		       : NULL;
}

/* By most of its ranks. */
static void judge_context(struct step_choice *c, size_t ordered, size_t outer)
{
	c->regular /= (double)(c->ranks ? c->ranks : 1);
	c->ordered = 2 * ordered > c->ranks;
	c->outer = c->marked || 2 * outer > c->ranks;
}

/* Many calls that leave none over are no chance; else the fewer. */
static uint32_t per_of_both(uint32_t a, uint32_t b)
{
	uint32_t less = a < b ? a : b, more = a < b ? b : a;

	return more > STEPS_SURE && more != UINT32_MAX ? more : less;
}

/* Ranks that call it another number of times. */
static void look_at_others(const struct steps *steps, struct step_choice *c)
{
	const struct step_series *of = &steps->at[c->first];
	size_t i = c->first;

	while (i && is_same_node(&steps->at[i - 1], of))
		i--;
	for (; i < steps->count && is_same_node(&steps->at[i], of); i++) {
		const struct step_series *s = &steps->at[i];
		double more = (double)s->calls - (double)c->calls;

		if (series_of(steps, c, s->process))
			continue;
		c->about |= fabs(more) <= ABOUT * (double)c->calls;
		c->others++;
	}
}

struct call_times { /* of all ranks */
	int64_t first, last;
};

static struct call_times times_of_call(const struct steps *steps,
				       const struct clocks *clocks,
				       const struct step_choice *c,
				       uint64_t call)
{
	struct call_times times = { INT64_MAX, INT64_MIN };

	for (size_t i = c->first; i < c->end; i++) {
		const struct step_series *s = &steps->at[i];
		uint64_t k = call < s->head
				     ? call
				     : s->head + (call - s->head) / s->stride;
		int64_t ns;

		if (!step_is_usual(steps, c, i))
			continue;
		k = k < s->count ? k : s->count - 1;
		ns = clocks_time(clocks, s->process,
				 steps->stamps[s->first + k].ns);
		times.first = ns < times.first ? ns : times.first;
		times.last = ns > times.last ? ns : times.last;
	}
	return times;
}

/* Do all ranks begin each stretch of calls before any has finished it? */
static bool is_together(const struct steps *steps, const struct clocks *clocks,
			const struct step_choice *c)
{
	uint64_t count = c->calls / c->per / STRETCH_STEPS;
	struct call_times at = times_of_call(steps, clocks, c, 0), before;

	count = count < STRETCHES ? count : STRETCHES;
	for (uint64_t k = 1; k < count; k++) {
		before = at;
		at = times_of_call(steps, clocks, c, c->calls * k / count);
		if ((double)(before.last - at.first) > clocks->error_max)
			return false;
	}
	return true;
}

static struct step_choice look_at_context(const struct steps *steps,
					  const struct clocks *clocks,
					  size_t first)
{
	struct step_choice c = { .first = first,
				 .end = end_of_context(steps, first),
				 .per = UINT32_MAX };
	size_t ordered = 0, outer = 0;
	uint32_t lines = 0;

	c.marked = steps->at[first].marked;
	c.lines = steps->at[first].lines;
	c.calls = steps->at[first].calls;
	for (size_t i = c.first; i < c.end; i++) {
		const struct step_series *s = &steps->at[i];
		const struct profile_stamp *at = &steps->stamps[s->first];

		if (!step_is_usual(steps, &c, i))
			continue;
		if (!c.ranks++) {
			lines = s->lines;
			c.begin_ns = clocks_time(clocks, s->process, at->ns);
			c.end_ns = clocks_time(clocks, s->process,
					       at[s->count - 1].ns);
		}
		c.differ |= s->lines != lines;
		ordered += s->ordered > 0;
		outer += s->outer;
		c.regular += s->regular;
		c.per = per_of_both(c.per, s->per);
	}
	judge_context(&c, ordered, outer);
	return c;
}

static double seconds_of_choice(const struct step_choice *c)
{
	return (double)(c->end_ns - c->begin_ns) / 1e9;
}

/* Of the run's time. */
static double share_of_choice(const struct run *run,
			      const struct step_choice *c)
{
	double longest = 1;

	for (size_t i = 0; i < run->member_count; i++)
		longest = fmax(longest, (double)run->ranks[i].elapsed_ns);
	return seconds_of_choice(c) * 1e9 / longest;
}

/* A collective call is the same one on all ranks, whatever clocks say. */
static bool is_worth_it(const struct run *run, const struct steps *steps,
			const struct step_choice *c)
{
	const struct run_node *n = &run->nodes[steps->at[c->first].node];

	if (c->marked)
		return true;
	if (c->ordered || (n->kind == RUN_MPI && n->detail == LIVE_MPI_COLL))
		return seconds_of_choice(c) >= WORTH_NAME;
	return share_of_choice(run, c) >= WORTH_CLOCK;
}

static bool is_step(const struct run *run, const struct steps *steps,
		    const struct clocks *clocks, struct step_choice *c)
{
	uint64_t least = c->ordered ? STEPS_LEAST_ORDERED : STEPS_LEAST;

	if ((double)c->ranks < SHARED * (double)run->member_count ||
	    c->calls / c->per < least || c->lines != c->differ ||
	    (!c->ordered && c->regular <= 0) || !is_worth_it(run, steps, c))
		return false;
	look_at_others(steps, c);
	return c->ranks > c->others &&
	       (c->marked ||
		(is_together(steps, clocks, c) && (!c->about || c->ordered)));
}

/* Regularity × the time in which it is called; order counts as regular. */
static double weight_of_choice(const struct step_choice *c)
{
	return (c->ordered ? 1 : c->regular) *
	       (double)(c->end_ns - c->begin_ns);
}

static int class_of_choice(const struct step_choice *c)
{
	return c->marked ? 2 : c->outer;
}

static bool choices_overlap(const struct step_choice *a,
			    const struct step_choice *b)
{
	int64_t from = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	int64_t to = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	return (double)(to - from) >=
	       OVERLAPS * (double)(a->end_ns - a->begin_ns);
}

/* Contexts of one loop begin in one step; there the path decides. */
static bool is_earlier_loop(const struct step_choice *a,
			    const struct step_choice *b)
{
	int64_t step = (b->end_ns - b->begin_ns) / (int64_t)b->calls;

	return a->begin_ns + step < b->begin_ns;
}

static bool is_better_choice(const struct step_choice *a,
			     const struct step_choice *b)
{
	uint64_t m = a->calls / a->per, n = b->calls / b->per;

	if (class_of_choice(a) != class_of_choice(b))
		return class_of_choice(a) > class_of_choice(b);
	if (m != n)
		return m > n;
	/* Order is exact, clocks are not. */
	return a->ordered && (!b->ordered || is_earlier_loop(a, b));
}

static uint32_t stamps_before(const struct steps *steps,
			      const struct step_series *s, uint64_t ns)
{
	const struct profile_stamp *at = &steps->stamps[s->first];
	uint32_t k = 0;

	while (k < s->count && at[k].ns < ns)
		k++;
	return k;
}

/* Does its second call come in the same turn of the inner one on all ranks? */
static bool is_around_lines(const struct steps *steps,
			    const struct step_choice *outer,
			    const struct step_choice *inner)
{
	size_t seen = 0;
	uint32_t turn = 0;

	for (size_t i = inner->first; i < inner->end; i++) {
		const struct step_series *s = &steps->at[i], *o;
		uint32_t calls;

		if (!step_is_usual(steps, inner, i))
			continue;
		o = series_of(steps, outer, s->process);
		if (!o)
			return false;
		calls = stamps_before(steps, s, steps->stamps[o->first + 1].ns);
		if (seen++ && calls != turn)
			return false;
		turn = calls;
	}
	return true;
}

/* Lines inside of a loop are not its steps. */
static void judge_lines(const struct steps *steps, struct step_choice *at,
			size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count && at[i].lines; k++)
			if (!at[k].lines && at[k].outer &&
			    2 * at[k].calls / at[k].per <= at[i].calls &&
			    choices_overlap(&at[i], &at[k]) &&
			    is_around_lines(steps, &at[k], &at[i]))
				at[i].outer = false;
}

/* All contexts that may be steps. */
static size_t list_choices(const struct run *run, const struct steps *steps,
			   const struct clocks *clocks, struct step_choice *to)
{
	size_t count = 0;

	for (size_t i = 0, end; i < steps->count; i = end) {
		to[count] = look_at_context(steps, clocks, i);
		end = to[count].end;
		count += is_step(run, steps, clocks, &to[count]);
	}
	judge_lines(steps, to, count);
	return count;
}

static const struct step_choice *best_choice(const struct step_choice *at,
					     size_t count)
{
	const struct step_choice *best = NULL;
	double most[3] = { 0 };

	for (size_t i = 0; i < count; i++)
		most[class_of_choice(&at[i])] =
			fmax(most[class_of_choice(&at[i])],
			     weight_of_choice(&at[i]));
	for (size_t i = 0; i < count; i++)
		if (weight_of_choice(&at[i]) >=
			    NEARLY * most[class_of_choice(&at[i])] &&
		    (!best || is_better_choice(&at[i], best)))
			best = &at[i];
	return best;
}

/*
 * Candidates in other stretches of time than the choice.  A loop found by order
 * counts even if another is around it, since that one was not chosen.
 */
static size_t keep_others(struct step_choice *at, size_t count,
			  const struct step_choice *choice)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if ((at[i].outer || at[i].ordered) &&
		    !choices_overlap(&at[i], choice))
			at[kept++] = at[i];
	return kept;
}

int step_choices(const struct run *run, const struct steps *steps,
		 const struct clocks *clocks,
		 struct step_choice to[STEP_CHOICES])
{
	struct step_choice *at = calloc(steps->count + 1, sizeof(*at));
	const struct step_choice *best;
	double share = 0;
	size_t count;
	int n = 0;

	if (!at)
		return no_memory();
	count = list_choices(run, steps, clocks, at);
	while (n < STEP_CHOICES && (best = best_choice(at, count))) {
		to[n] = *best;
		share += to[n].marked ? 1 : share_of_choice(run, &to[n]);
		count = keep_others(at, count, &to[n++]);
	}
	free(at);
	/* Loops while the program begins are not its steps. */
	return share < WORTH_STEPS ? 0 : n;
}
