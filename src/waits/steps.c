/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - contexts that repeat, and the iterations of one of them. */
#include "waits/steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define NEARLY 0.7 /* as regular as the most regular */
#define SHARED 0.5 /* of the members have it */

enum {
	STEPS_LEAST = 8 /* iterations */
};

struct step_series { /* of one process; a raw node may become another's */
	uint32_t process, node;
	uint32_t head, stride, per, count;
	uint64_t calls;
	double regular;
	struct profile_stamp *at;
};

/*
 * Collecting.
 */

void steps_fini(struct steps *steps)
{
	for (size_t i = 0; i < steps->count; i++)
		free(steps->at[i].at);
	free(steps->at);
	*steps = (struct steps){ 0 };
}

/* Every other one behind the head. */
static void thin_steps(struct steps *steps)
{
	steps->stamps = 0;
	for (size_t i = 0; i < steps->count; i++) {
		struct step_series *s = &steps->at[i];
		uint32_t kept = s->head;

		for (uint32_t k = kept; k < s->count; k += 2)
			s->at[kept++] = s->at[k];
		if (kept < s->count)
			s->stride *= 2;
		s->count = kept;
		steps->stamps += kept;
	}
}

static int put_steps(struct steps *steps, struct step_series s,
		     const struct profile_stamp *from)
{
	s.at = calloc(s.count, sizeof(*s.at));
	if (!s.at || !array_append(&steps->at, &steps->count, &steps->room,
				   sizeof(s), &s)) {
		free(s.at);
		return no_memory();
	}
	memcpy(s.at, from, s.count * sizeof(*s.at));
	steps->stamps += s.count;
	for (int i = 0; i < 16 && steps->stamps > STEPS_STAMPS; i++)
		thin_steps(steps);
	return 0;
}

int steps_add(struct steps *steps, const struct profile *p, uint32_t process,
	      const uint32_t *nodes)
{
	int err = 0;

	for (size_t i = 0; i < p->step_count && !err; i++) {
		const struct profile_step *step = &p->steps[i];

		err = put_steps(
			steps,
			(struct step_series){ .process = process,
					      .node = nodes[step->node],
					      .head = step->head,
					      .stride = step->stride,
					      .per = step->per,
					      .count = step->count,
					      .calls = step->calls,
					      .regular = step->regular },
			&p->stamps[step->first]);
	}
	return err;
}

void steps_pack(const struct steps *steps, struct blob *to)
{
	blob_put(to, steps->at, steps->count, sizeof(*steps->at));
	for (size_t i = 0; i < steps->count; i++)
		blob_put(to, steps->at[i].at, steps->at[i].count,
			 sizeof(*steps->at[i].at));
}

int steps_absorb(struct steps *steps, struct blob *from, uint32_t process,
		 const uint32_t *nodes)
{
	size_t count, stamps;
	const struct step_series *at = blob_get(from, &count, sizeof(*at));
	int err = at ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && !err; i++) {
		struct step_series s = at[i];
		const struct profile_stamp *all =
			blob_get(from, &stamps, sizeof(*all));

		s.process += process;
		s.node = nodes[s.node];
		err = all && stamps == s.count ? put_steps(steps, s, all)
					       : -ENOMEM;
	}
	return err;
}

void steps_wanted(const struct steps *steps, bool *wanted)
{
	for (size_t i = 0; i < steps->count; i++)
		wanted[steps->at[i].node] = true;
}

static int by_step_node(const void *x, const void *y)
{
	const struct step_series *a = x, *b = y;
	int order = ORDER(a->node, b->node);

	if (!order)
		order = ORDER(a->process, b->process);
	return order ? order : ORDER(b->calls, a->calls);
}

void steps_rename(struct steps *steps, const struct run *run,
		  const uint32_t *order, const uint32_t *became)
{
	size_t kept = 0;

	for (size_t i = 0; i < steps->count; i++) {
		struct step_series *s = &steps->at[i];

		s->process = order[s->process];
		s->node = became[s->node];
		if (s->process < run->member_count)
			steps->at[kept++] = *s;
		else
			free(s->at);
	}
	steps->count = kept;
	if (kept)
		qsort(steps->at, kept, sizeof(*steps->at), by_step_node);
}

/*
 * Which of them are the steps.
 */

struct step_choice { /* series first … end - 1: one context */
	size_t first, end, ranks;
	uint64_t calls; /* of most ranks */
	uint32_t per;
	bool marked;
	double regular;
};

static size_t end_of_context(const struct steps *steps, size_t first)
{
	size_t end = first + 1;

	while (end < steps->count &&
	       steps->at[end].node == steps->at[first].node)
		end++;
	return end;
}

/* The number of calls that most ranks of the context have. */
static uint64_t usual_calls(const struct steps *steps,
			    const struct step_choice *c)
{
	uint64_t calls = 0;
	size_t seen = 0;

	for (size_t i = c->first; i < c->end; i++) {
		if (!seen)
			calls = steps->at[i].calls;
		seen += steps->at[i].calls == calls ? 1 : (size_t)-1;
	}
	return calls;
}

/* Is it the process's only one, of that many calls? */
static bool is_usual(const struct steps *steps, const struct step_choice *c,
		     size_t i)
{
	const struct step_series *s = &steps->at[i];

	return s->calls == c->calls &&
	       (i == c->first || s[-1].process != s->process ||
		s[-1].calls != c->calls);
}

static struct step_choice
look_at_context(const struct run *run, const struct steps *steps, size_t first)
{
	struct step_choice c = { .first = first,
				 .end = end_of_context(steps, first),
				 .per = UINT32_MAX };

	c.marked = run->nodes[steps->at[first].node].kind == RUN_PHASE;
	c.calls = usual_calls(steps, &c);
	for (size_t i = c.first; i < c.end; i++) {
		const struct step_series *s = &steps->at[i];

		if (!is_usual(steps, &c, i))
			continue;
		c.ranks++;
		c.regular += s->regular;
		c.per = s->per < c.per ? s->per : c.per;
	}
	c.regular /= (double)(c.ranks ? c.ranks : 1);
	if (c.marked)
		c.per = 1;
	return c;
}

static bool is_step(const struct run *run, const struct step_choice *c)
{
	return (double)c->ranks >= SHARED * (double)run->member_count &&
	       c->ranks && c->calls / c->per >= STEPS_LEAST;
}

/* Two passes: how regular the most regular is, then that with the most steps.
 */
static bool choose_step(const struct run *run, const struct steps *steps,
			struct step_choice *to)
{
	struct step_choice best = { 0 };
	double most[2] = { 0 };
	bool found = false;

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0, end; i < steps->count; i = end) {
			struct step_choice c = look_at_context(run, steps, i);

			end = c.end;
			if (!is_step(run, &c))
				continue;
			most[c.marked] = fmax(most[c.marked], c.regular);
			if (!pass || c.regular < NEARLY * most[c.marked] ||
			    (found && best.marked && !c.marked))
				continue;
			if (!found || (c.marked && !best.marked) ||
			    c.calls / c.per > best.calls / best.per)
				best = c;
			found = true;
		}
	*to = best;
	return found;
}

/*
 * Iterations.
 */

struct iterating {
	const struct run *run;
	const struct clocks *clocks;
	const struct gpu_bins *gpus;
	struct run_iterations *to;
	struct step_choice choice;
	int64_t begin;
	uint32_t calls; /* of a row behind the head */
	size_t row_room, rank_room;
};

/* Calls that a row behind the head stands for: whole iterations of all ranks.
 */
static uint32_t calls_of_row(const struct iterating *t,
			     const struct steps *steps)
{
	uint32_t stride = 1, calls;

	for (size_t i = t->choice.first; i < t->choice.end; i++)
		if (steps->at[i].stride > stride &&
		    is_usual(steps, &t->choice, i))
			stride = steps->at[i].stride;
	for (calls = stride; calls % t->choice.per; calls += stride)
		;
	return calls;
}

static uint32_t micro(uint64_t ns, uint64_t before)
{
	uint64_t us = ns / 1000 - before / 1000;

	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

static int put_iteration(struct iterating *t, const struct step_series *s,
			 const struct profile_stamp *a,
			 const struct profile_stamp *b)
{
	struct run_iteration row = {
		.us = micro(b->ns, a->ns),
		.mpi_us = micro(b->mpi_ns, a->mpi_ns),
		.gpu_us = micro(
			gpu_bins_busy(t->gpus, s->process, a->ns, b->ns), 0),
	};

	return array_append(&t->to->rows, &t->to->row_count, &t->row_room,
			    sizeof(row), &row)
		       ? 0
		       : -ENOMEM;
}

/* Between stamps of the head that are `per` apart, then of what is behind. */
static int put_iterations(struct iterating *t, const struct step_series *s)
{
	uint32_t per = t->choice.per, row = t->calls / s->stride;
	uint32_t head = (s->head - 1) / per * per;
	uint32_t body = t->calls == per ? head : s->head;
	int err = 0;

	for (uint32_t i = 0; i < head && !err; i += per)
		err = put_iteration(t, s, &s->at[i], &s->at[i + per]);
	for (uint32_t i = body; i + row < s->count && !err; i += row)
		err = put_iteration(t, s, &s->at[i], &s->at[i + row]);
	return err;
}

static int put_rank(struct iterating *t, const struct step_series *s)
{
	int64_t begin = clocks_time(t->clocks, s->process, s->at->ns);
	struct run_iteration_rank rank = {
		.rank = s->process,
		.begin_ns = begin > t->begin ? (uint64_t)(begin - t->begin) : 0,
		.first = (uint32_t)t->to->row_count,
		.iterations = s->calls / t->choice.per,
	};
	int err = put_iterations(t, s);

	rank.count = (uint32_t)t->to->row_count - rank.first;
	if (!err && !array_append(&t->to->ranks, &t->to->rank_count,
				  &t->rank_room, sizeof(rank), &rank))
		err = -ENOMEM;
	return err;
}

static int put_step(struct iterating *t, const struct steps *steps,
		    const struct matched_events *parts)
{
	const struct step_choice *c = &t->choice;
	const struct step_series *s = &steps->at[c->first];
	const struct clock_source *first = parts->sources;
	struct run_step *step = calloc(1, sizeof(*step));

	if (!step)
		return no_memory();
	t->calls = calls_of_row(t, steps);
	t->to->steps = step;
	t->to->step_count = 1;
	*step = (struct run_step){
		.node = s->node,
		.marked = c->marked,
		.per = c->per,
		.each = t->calls / c->per,
		.head = (s->head - 1) / c->per,
		.iterations = c->calls / c->per,
		.regular = c->regular,
	};
	t->begin = clocks_begin(t->clocks, parts);
	step->begin_real_ns =
		first->start_real +
		(uint64_t)(t->begin - clocks_time(t->clocks, first->process,
						  first->start_mono));
	return 0;
}

int steps_make(struct run *run, const struct steps *steps,
	       const struct matched_events *parts, const struct clocks *clocks,
	       const struct gpu_bins *gpus)
{
	struct iterating t = { .run = run,
			       .clocks = clocks,
			       .gpus = gpus,
			       .to = &run->iterations };
	int err;

	if (!parts->source_count || !choose_step(run, steps, &t.choice))
		return 0;
	err = put_step(&t, steps, parts);
	for (size_t i = t.choice.first; i < t.choice.end && !err; i++)
		if (is_usual(steps, &t.choice, i))
			err = put_rank(&t, &steps->at[i]);
	return err ? no_memory() : 0;
}
