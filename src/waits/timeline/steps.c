/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c - contexts that repeat, and the iterations of one of them. */
#include "waits/timeline/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

/*
 * Collecting.
 */

static void fini_steps(void *state)
{
	struct steps *steps = state;

	free(steps->stamps);
	free(steps->at);
}

/* Every other one behind the head; the series are still in their order. */
static void thin_steps(struct steps *steps)
{
	size_t next = 0;

	for (size_t i = 0; i < steps->count; i++) {
		struct step_series *s = &steps->at[i];
		const struct profile_stamp *from = &steps->stamps[s->first];

		s->first = next;
		for (uint32_t k = 0; k < s->count; k += k < s->head ? 1 : 2)
			steps->stamps[next++] = from[k];
		if (s->count > s->head + 1)
			s->stride *= 2;
		s->count = (uint32_t)(next - s->first);
	}
	steps->stamp_count = next;
}

static int stamps_make_room(struct steps *steps, size_t count)
{
	while (steps->stamp_room < steps->stamp_count + count)
		if (!ARRAY_GROW(steps->stamps, steps->stamp_room,
				steps->stamp_room))
			return no_memory();
	return 0;
}

static int put_steps(struct steps *steps, struct step_series s,
		     const struct profile_stamp *from)
{
	int err = stamps_make_room(steps, s.count);

	if (err)
		return err;
	s.first = steps->stamp_count;
	if (!array_append(&steps->at, &steps->count, &steps->room, sizeof(s),
			  &s))
		return no_memory();
	memcpy(&steps->stamps[s.first], from, s.count * sizeof(*from));
	steps->stamp_count += s.count;
	for (int i = 0; i < 16 && steps->stamp_count > STEPS_STAMPS; i++)
		thin_steps(steps);
	return 0;
}

static int gather_steps(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	int err = 0;

	for (size_t i = 0; i < p->step_count && !err; i++) {
		const struct profile_step *step = &p->steps[i];

		err = put_steps(
			state,
			(struct step_series){ .process = one->process,
					      .node = one->nodes[step->node],
					      .head = step->head,
					      .stride = step->stride,
					      .per = step->per,
					      .count = step->count,
					      .marked = step->marked,
					      .ordered = step->ordered,
					      .outer = step->outer,
					      .lines = step->lines,
					      .calls = step->calls,
					      .regular = step->regular },
			&p->stamps[step->first]);
	}
	return err;
}

static void want_steps(const void *state, bool *wanted)
{
	const struct steps *steps = state;

	for (size_t i = 0; i < steps->count; i++)
		wanted[steps->at[i].node] = true;
}

ORDER_BY(by_step_node, struct step_series,
	 ASC(node) ?: ORDER(a->lines > 0, b->lines > 0) ?: DESC(calls) ?:
	 ASC(process))

static int finish_steps(void *state, struct run *run, const uint32_t *order,
			const uint32_t *became)
{
	struct steps *steps = state;
	size_t kept = 0;

	for (size_t i = 0; i < steps->count; i++) {
		struct step_series *s = &steps->at[i];

		s->process = order[s->process];
		s->node = became[s->node];
		if (s->process < run->member_count)
			steps->at[kept++] = *s;
	}
	steps->count = kept;
	if (kept)
		qsort(steps->at, kept, sizeof(*steps->at), by_step_node);
	return 0;
}

const struct gatherer gatherer_steps = { .size = sizeof(struct steps),
					 .fini = fini_steps,
					 .add = gather_steps,
					 .wanted = want_steps,
					 .finish = finish_steps };

/*
 * Iterations.
 */

struct iterating {
	const struct run *run;
	const struct clocks *clocks;
	const struct gpu_bins *gpus;
	const struct profile_stamp *stamps;
	struct run_iterations *to;
	struct step_choice choice;
	int64_t begin;
	uint32_t calls; /* of a row behind the head */
	size_t row_room, rank_room;
};

/* Calls that a row behind the head represents: whole iterations of all ranks.
 */
static uint32_t calls_of_row(const struct iterating *t,
			     const struct steps *steps)
{
	uint32_t stride = 1, calls;

	for (size_t i = t->choice.first; i < t->choice.end; i++)
		if (steps->at[i].stride > stride &&
		    step_is_usual(steps, &t->choice, i))
			stride = steps->at[i].stride;
	for (calls = stride; calls % t->choice.per; calls += stride)
		;
	return calls;
}

static uint32_t microseconds_since(uint64_t ns, uint64_t before)
{
	uint64_t us = ns / 1000 - before / 1000;

	return us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
}

static int put_iteration(struct iterating *t, const struct step_series *s,
			 const struct profile_stamp *a,
			 const struct profile_stamp *b)
{
	struct run_iteration row = {
		.us = microseconds_since(b->ns, a->ns),
		.mpi_us = microseconds_since(b->mpi_ns, a->mpi_ns),
		.gpu_us = microseconds_since(
			time_gpu_bins_busy(t->gpus, s->process, a->ns, b->ns),
			0),
	};

	return array_append(&t->to->rows, &t->to->row_count, &t->row_room,
			    sizeof(row), &row)
		       ? 0
		       : -ENOMEM;
}

/* Between stamps of the head that are `per` apart, then of what is behind. */
static int put_iterations(struct iterating *t, const struct step_series *s)
{
	const struct profile_stamp *at = &t->stamps[s->first];
	uint32_t per = t->choice.per, row = t->calls / s->stride;
	uint32_t head = (s->head - 1) / per * per;
	uint32_t body = t->calls == per ? head : s->head;
	int err = 0;

	for (uint32_t i = 0; i < head && !err; i += per)
		err = put_iteration(t, s, &at[i], &at[i + per]);
	for (uint32_t i = body; i + row < s->count && !err; i += row)
		err = put_iteration(t, s, &at[i], &at[i + row]);
	return err;
}

static uint64_t since_begin(const struct iterating *t, int64_t ns)
{
	return ns > t->begin ? (uint64_t)(ns - t->begin) : 0;
}

static int put_rank(struct iterating *t, const struct step_series *s)
{
	int64_t begin =
		clocks_time(t->clocks, s->process, t->stamps[s->first].ns);
	struct run_iteration_rank rank = {
		.rank = s->process,
		.begin_ns = since_begin(t, begin),
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
		    const struct matched_events *events)
{
	const struct step_choice *c = &t->choice;
	const struct step_series *s = &steps->at[c->first];
	const struct clock_source *first = events->sources;
	struct run_step *step = calloc(1, sizeof(*step));

	if (!step)
		return no_memory();
	t->calls = calls_of_row(t, steps);
	t->to->steps = step;
	t->to->step_count = 1;
	*step = (struct run_step){
		.node = s->node,
		.marked = c->marked,
		.lines = c->lines,
		.per = c->per,
		.each = t->calls / c->per,
		.head = (s->head - 1) / c->per,
		.iterations = c->calls / c->per,
		.regular = c->regular,
	};
	t->begin = clocks_begin(t->clocks, events);
	step->begin_real_ns =
		first->start_real +
		(uint64_t)(t->begin - clocks_time(t->clocks, first->process,
						  first->start_mono));
	return 0;
}

ORDER_BY(by_series_begin, struct run_step_series, ASC(begin_ns))

/* All of them, in the order of time. */
static int put_step_series(struct iterating *t, const struct steps *steps,
			   const struct step_choice *choices, size_t count)
{
	struct run_step_series *to = calloc(count, sizeof(*to));

	if (!to)
		return no_memory();
	t->to->series = to;
	t->to->series_count = count;
	for (size_t i = 0; i < count; i++) {
		const struct step_choice *c = &choices[i];

		to[i] = (struct run_step_series){
			.node = steps->at[c->first].node,
			.marked = c->marked,
			.ordered = c->ordered,
			.lines = c->lines,
			.per = c->per,
			.iterations = c->calls / c->per,
			.regular = c->regular,
			.begin_ns = since_begin(t, c->begin_ns),
			.end_ns = since_begin(t, c->end_ns),
		};
	}
	qsort(to, count, sizeof(*to), by_series_begin);
	return 0;
}

int steps_make(struct run *run, const struct steps *steps,
	       const struct matched_events *events, const struct clocks *clocks,
	       const struct gpu_bins *gpus)
{
	struct step_choice choices[STEP_CHOICES];
	struct iterating t = { .run = run,
			       .clocks = clocks,
			       .gpus = gpus,
			       .stamps = steps->stamps,
			       .to = &run->iterations };
	int err, count = events->source_count
				 ? step_choices(run, steps, clocks, choices)
				 : 0;

	if (count <= 0)
		return count;
	t.choice = choices[0];
	err = put_step(&t, steps, events);
	if (!err)
		err = put_step_series(&t, steps, choices, (size_t)count);
	for (size_t i = t.choice.first; i < t.choice.end && !err; i++)
		if (step_is_usual(steps, &t.choice, i))
			err = put_rank(&t, &steps->at[i]);
	return err ? no_memory() : 0;
}
