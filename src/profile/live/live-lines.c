/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-lines.c - steps that call one function from several lines of another.
 * In HPL one column of processes factorises each panel, and the others receive
 * it elsewhere in the loop.  Contexts whose paths differ in one line are
 * joined.
 */
#include <stdlib.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"
#include "profile/steps/step-pattern.h"

enum {
	FRAMES = 32, /* of a path that are compared, from the call on */
	CHANGES = 3, /* from one line to another, at least, … */
	TURN = 4, /* … and one in so many calls: fewer show an inner loop */
	EACH = 2  /* calls of a line, at least, on average */
};

struct path_gap {              /* a context's path, but for one line */
	uint64_t below;        /* a hash of the frames */
	uint32_t caller, line; /* nodes: above it; the line */
	uint32_t step;
};

struct line_call {
	struct profile_stamp at;
	uint64_t line;
};

static uint64_t mix_frame(uint64_t hash, const struct profile_node *n)
{
	const uint64_t prime = 0x9e3779b97f4a7c15;

	hash = (hash ^ n->kind ^ (uint64_t)n->owner << 8) * prime;
	hash = (hash ^ hash >> 32 ^ n->offset) * prime;
	return hash ^ hash >> 32;
}

/* The path with a gap at each of its lines but the one that calls MPI. */
static size_t put_gaps(struct reader *r, uint32_t step, struct path_gap **gaps,
		       size_t count)
{
	const struct profile_node *nodes = r->p->nodes;
	uint32_t node = r->p->steps[step].node;
	uint64_t below = r->p->steps[step].thread;

	for (int i = 0; i < FRAMES && nodes[node].parent; i++) {
		struct path_gap gap = { below, nodes[node].parent, node, step };

		if (i > 1 && nodes[node].kind == NODE_CALL) {
			if (!reader_grow(r, gaps, count, sizeof(gap)))
				break;
			(*gaps)[count++] = gap;
		}
		below = mix_frame(below, &nodes[node]);
		node = nodes[node].parent;
	}
	return count;
}

static bool is_same_gap(const struct path_gap *a, const struct path_gap *b)
{
	return a->below == b->below && a->caller == b->caller;
}

ORDER_BY(by_gap, struct path_gap, ASC(caller) ?: ASC(below) ?: ASC(line))

ORDER_BY(by_call_time, struct line_call, ASC(at.ns) ?: ASC(line))

static size_t calls_of_lines(const struct profile *p, const struct path_gap *at,
			     size_t lines)
{
	size_t calls = 0;

	for (size_t i = 0; i < lines; i++)
		calls += p->steps[at[i].step].count;
	return calls;
}

/* All calls in their order. */
static struct line_call *calls_in_order(const struct profile *p,
					const struct path_gap *at, size_t lines,
					size_t calls)
{
	struct line_call *all = calloc(calls, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < lines && all; i++) {
		const struct profile_step *s = &p->steps[at[i].step];

		for (uint32_t k = 0; k < s->count; k++)
			all[count++] = (struct line_call){
				p->stamps[s->first + k],
				p->nodes[at[i].line].offset
			};
	}
	if (all)
		qsort(all, calls, sizeof(*all), by_call_time);
	return all;
}

/* A hash of the lines of all calls; 0: lines do not come in turns. */
static uint32_t turns_of_lines(const struct line_call *all, size_t calls)
{
	struct profile_node line = { .kind = NODE_CALL };
	uint32_t changes = 0;
	uint64_t hash = 0;

	for (size_t i = 0; i < calls; i++) {
		changes += i && all[i].line != all[i - 1].line;
		line.offset = all[i].line;
		hash = mix_frame(hash, &line);
	}
	return changes < CHANGES || changes * TURN < calls ? 0
							   : (uint32_t)hash | 1;
}

/* The line that comes first in the code: it is the same on all ranks. */
static uint32_t step_of_lines(const struct profile *p,
			      const struct path_gap *at, size_t lines)
{
	size_t first = 0;

	for (size_t i = 1; i < lines; i++)
		if (p->nodes[at[i].line].offset <
		    p->nodes[at[first].line].offset)
			first = i;
	return at[first].step;
}

static uint64_t length_of_step(const struct profile *p,
			       const struct profile_step *s)
{
	return p->stamps[s->first + s->count - 1].ns - p->stamps[s->first].ns;
}

/* Keeps those that go on for longest. */
static size_t keep_lines(const struct profile *p, struct profile_step *to,
			 size_t count, const struct profile_step *s)
{
	size_t i = count < STEPS_OF_LINES ? count : STEPS_OF_LINES - 1;

	if (i < count && length_of_step(p, s) <= length_of_step(p, &to[i]))
		return count;
	for (; i && length_of_step(p, s) > length_of_step(p, &to[i - 1]); i--)
		to[i] = to[i - 1];
	to[i] = *s;
	return count < STEPS_OF_LINES ? count + 1 : count;
}

/* One context of all these lines. */
static void join_lines(struct reader *r, const struct path_gap *at,
		       size_t lines, struct profile_step *to)
{
	struct profile *p = r->p;
	size_t calls = calls_of_lines(p, at, lines);
	struct line_call *all;

	*to = p->steps[step_of_lines(p, at, lines)];
	to->lines = 0;
	if (calls < LOOP_ROUNDS_LEAST || calls < EACH * lines ||
	    calls > LIVE_STAMPS)
		return;
	all = calls_in_order(p, at, lines, calls);
	if (!all) {
		reader_no_memory(r);
		return;
	}
	to->lines = turns_of_lines(all, calls);
	to->first = (uint32_t)p->stamp_count;
	to->calls = to->count = to->head = (uint32_t)calls;
	to->per = to->ordered = to->outer = 1;
	for (size_t i = 0; i < calls && to->lines; i++) {
		if (!reader_grow(r, &p->stamps, p->stamp_count,
				 sizeof(*p->stamps)))
			break;
		p->stamps[p->stamp_count++] = all[i].at;
	}
	free(all);
	if (r->err || !to->lines)
		return;
	to->regular = step_regular(&p->stamps[to->first], calls, 1);
	if (to->regular < 0)
		reader_no_memory(r);
}

size_t reader_lines(struct reader *r, struct profile_step to[STEPS_OF_LINES])
{
	struct profile *p = r->p;
	struct path_gap *gaps = NULL;
	size_t count = 0, kept = 0;

	for (size_t i = 0; i < p->step_count && !r->err; i++)
		if (!p->steps[i].marked &&
		    p->steps[i].count == p->steps[i].calls)
			count = put_gaps(r, (uint32_t)i, &gaps, count);
	if (count)
		qsort(gaps, count, sizeof(*gaps), by_gap);
	for (size_t i = 0, end; i < count && !r->err; i = end) {
		struct profile_step step;

		for (end = i + 1;
		     end < count && is_same_gap(&gaps[i], &gaps[end]);)
			end++;
		if (end - i < 2)
			continue;
		join_lines(r, &gaps[i], end - i, &step);
		if (step.lines && !r->err)
			kept = keep_lines(p, to, kept, &step);
	}
	free(gaps);
	return r->err ? 0 : kept;
}
