/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-steps.c - reads the stamps of a live profile, and keeps those of the
 * contexts that are most regular for the longest time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"
#include "profile/steps/step-pattern.h"

#define STEPS_NEAR 0.7 /* of the weight of the most regular context */
#define MEANWHILE  0.2 /* of a loop's time in another: the same stretch */

enum {
	STEPS_FIRST = 5, /* contexts of the loop that is found first, … */
	STEPS_FEW = 3,   /* … of each other loop, with few stamps, … */
	STEPS_KEPT = 50, /* … of all loops together */
	STEPS_LEAST = 4, /* calls */
	STEPS_SURE = 8,  /* calls in a step; more must leave none over */
	/* In jobs with more ranks each keeps fewer stamps, for the merge, … */
	STEPS_RANKS = 128,
	STEPS_STAMPS_LEAST = 255 /* … but at least these */
};

static bool take_stamps(struct reader *r, struct profile_step *step,
			uint64_t ref)
{
	struct profile *p = r->p;
	const char *at;

	at = reader_claim(r, ref + sizeof(struct live_stamps) / LIVE_UNIT,
			  step->count * sizeof(struct live_stamp));
	if (!at)
		return false;
	for (uint32_t i = 0; i < step->count; i++) {
		struct live_stamp s;

		memcpy(&s, at + i * sizeof(s), sizeof(s));
		if (s.ns > PROFILE_TIME_MOST || s.mpi_ns > s.ns ||
		    (i && (s.ns < p->stamps[p->stamp_count - 1].ns ||
			   s.mpi_ns < p->stamps[p->stamp_count - 1].mpi_ns))) {
			r->damaged++;
			return false;
		}
		if (!reader_grow(r, &p->stamps, p->stamp_count,
				 sizeof(*p->stamps)))
			return false;
		p->stamps[p->stamp_count++] =
			(struct profile_stamp){ s.ns, s.mpi_ns };
	}
	return true;
}

/* Does the program itself mark the begin of something there? */
static bool is_marked_step(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];
	const struct profile_name *name = &p->names[n->owner];

	return n->kind == NODE_NAMED && (name->class == LIVE_NAME_PHASE ||
					 (name->class == LIVE_NAME_MPI &&
					  !strcmp(name->text, "MPI_Pcontrol")));
}

static void take_call_stamps(struct reader *r, uint32_t node, uint32_t thread,
			     const struct live_call *call)
{
	struct profile *p = r->p;
	struct live_stamps head;
	struct profile_step step = { .node = node, .thread = thread };
	const void *at;

	if (!call->stamps || reader_class(r, node) == LIVE_NAME_GPU_CALL)
		return;
	at = reader_claim(r, call->stamps, sizeof(head));
	if (!at)
		return;
	memcpy(&head, at, sizeof(head));
	if (head.moving & 1 || !head.count || !head.stride)
		return;
	step.marked = is_marked_step(p, node);
	step.many_roots = call->root == LIVE_SEVERAL_ROOTS;
	step.calls = call->calls;
	step.count = head.count;
	step.stride = head.stride;
	step.head = live_stamps_head(head.room);
	if (step.head > head.count)
		step.head = head.count;
	step.first = (uint32_t)p->stamp_count;
	/* The record of a phase has no number of calls. */
	if (!step.calls)
		step.calls = step.head +
			     (uint64_t)(step.count - step.head) * step.stride;
	if (!take_stamps(r, &step, call->stamps))
		p->stamp_count = step.first;
	else if (reader_grow(r, &p->steps, p->step_count, sizeof(step)))
		p->steps[p->step_count++] = step;
}

/*
 * Calls in a step, by all stamps, and by the first ones, none of which was
 * dropped.  0 when out of memory.
 */
static uint32_t calls_of_step(const struct profile *p,
			      const struct profile_step *step)
{
	const struct profile_stamp *at = &p->stamps[step->first];
	uint32_t per;

	if (step->marked)
		return 1;
	per = step_rounds(step, at);
	if (per == 1)
		per = step_calls(at,
				 step->stride > 1 ? step->head : step->count);
	if (per > STEPS_SURE && step->calls % per)
		per = 1;
	/* The root does not wait: ranks' turns as the root are no pattern. */
	return step->many_roots && per <= (uint64_t)p->id.size ? per > 0 : per;
}

static bool judge_step(const struct profile *p, struct profile_step *step)
{
	const struct profile_stamp *at = &p->stamps[step->first];
	uint32_t head = step->stride > 1 ? step->head : 0, row;

	step->per = calls_of_step(p, step);
	if (!step->per)
		return false;
	for (row = step->stride; row % step->per; row += step->stride)
		;
	step->regular =
		step_regular(at + head, step->count - head, row / step->stride);
	return step->regular >= 0;
}

/* Regularity × the time in which it is called; order counts as regular. */
static double weight_of_step(const struct profile *p,
			     const struct profile_step *step)
{
	const struct profile_stamp *at = &p->stamps[step->first];

	return (step->ordered ? 1 : step->regular) *
	       (double)(at[step->count - 1].ns - at->ns);
}

static bool is_collective(const struct profile *p,
			  const struct profile_step *step)
{
	const struct profile_node *n = &p->nodes[step->node];

	return n->kind == NODE_NAMED &&
	       p->names[n->owner].class == LIVE_NAME_MPI &&
	       p->names[n->owner].detail == LIVE_MPI_COLL;
}

struct step_order {
	const struct profile *p;
	double least; /* from this weight on the number of steps decides */
};

/* In one loop: collective calls first, then the earliest call. */
static int by_step_place(const struct profile *p, const struct profile_step *a,
			 const struct profile_step *b)
{
	int order = ORDER(is_collective(p, b), is_collective(p, a));

	if (!order)
		order = ORDER(p->stamps[a->first].ns, p->stamps[b->first].ns);
	return order ? order : ORDER(a->node, b->node);
}

static int by_step_weight(const void *x, const void *y, void *of)
{
	const struct profile_step *a = x, *b = y;
	const struct step_order *by = of;
	double u = weight_of_step(by->p, a), v = weight_of_step(by->p, b);
	bool marked = a->marked && a->regular > 0;
	uint64_t m = u >= by->least ? a->calls / a->per : 0;
	uint64_t n = v >= by->least ? b->calls / b->per : 0;

	if (marked != (b->marked && b->regular > 0))
		return marked ? -1 : 1;
	if (a->outer != b->outer)
		return ORDER(b->outer, a->outer);
	if (m != n)
		return ORDER(n, m);
	/* Order is exact, clocks are not. */
	if (!a->ordered != !b->ordered)
		return a->ordered ? -1 : 1;
	if (a->ordered)
		return by_step_place(by->p, a, b);
	if (u != v)
		return u < v ? 1 : -1;
	return ORDER(a->node, b->node);
}

/*
 * Marks first, then outermost loops, then those nearly as regular as the most
 * regular one; among these, the most steps.
 */
static void sort_steps(struct profile *p, size_t from)
{
	struct step_order by = { .p = p };

	for (size_t i = from; i < p->step_count; i++)
		if (p->steps[i].outer || p->steps[i].marked)
			by.least =
				fmax(by.least, weight_of_step(p, &p->steps[i]));
	by.least *= STEPS_NEAR;
	if (p->step_count > from)
		qsort_r(&p->steps[from], p->step_count - from,
			sizeof(*p->steps), by_step_weight, &by);
}

/* Do the two overlap in time? */
static bool is_meanwhile(const struct profile *p,
			 const struct profile_step *step,
			 const struct profile_step *other)
{
	const struct profile_stamp *a = &p->stamps[step->first];
	const struct profile_stamp *b = &p->stamps[other->first];
	uint64_t from = a->ns, to = a[step->count - 1].ns;
	uint64_t begin = b->ns, end = b[other->count - 1].ns;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return end > begin &&
	       (double)(end - begin) > MEANWHILE * (double)(to - from);
}

/*
 * Contexts that are called meanwhile follow it, `most` together at most; one of
 * them has order if there is one.  The rest are in no loop of their own.
 */
static size_t keep_loop(struct profile *p, size_t kept, size_t most)
{
	const struct profile_step *loop = &p->steps[kept];
	size_t end = kept + 1;
	bool has_order = loop->ordered;

	for (size_t i = kept + 1; i < p->step_count; i++) {
		struct profile_step step = p->steps[i];

		if (!is_meanwhile(p, &step, loop))
			continue;
		has_order |= step.ordered > 0;
		if (end + !has_order < kept + most) {
			p->steps[i] = p->steps[end];
			p->steps[end++] = step;
		} else {
			p->steps[i].outer = 0;
		}
	}
	return end;
}

/* Contexts of the loop that is found first, and of those before and after. */
static void choose_steps(struct profile *p)
{
	size_t kept = 0;

	while (kept < p->step_count && kept + STEPS_FEW <= STEPS_KEPT) {
		sort_steps(p, kept);
		if (kept && !p->steps[kept].outer)
			break;
		kept = keep_loop(p, kept, kept ? STEPS_FEW : STEPS_FIRST);
	}
	p->step_count = kept < STEPS_KEPT ? kept : STEPS_KEPT;
}

static uint32_t stamps_wanted(const struct profile *p)
{
	uint64_t most = LIVE_STAMPS;

	if (p->id.size > STEPS_RANKS)
		most = most * STEPS_RANKS / (uint64_t)p->id.size;
	return most > STEPS_STAMPS_LEAST ? (uint32_t)most : STEPS_STAMPS_LEAST;
}

/*
 * A long head has shown how many calls a step has.  The file gets its first
 * stamps, and then one of each stride; if the stride is longer than the rest of
 * the head, it gets the head's end, which is less than a stride later.
 */
static void shorten_head(struct profile_step *step, struct profile_stamp *at)
{
	uint32_t rest, count = LIVE_STAMPS_FEW;

	if (step->head <= count)
		return;
	rest = step->head - count;
	if (step->stride > rest)
		memmove(at, at + rest, count * sizeof(*at));
	else
		for (uint32_t i = count; i < step->head; i += step->stride)
			at[count++] = at[i];
	memmove(at + count, at + step->head,
		(step->count - step->head) * sizeof(*at));
	step->count -= step->head - count;
	step->head = LIVE_STAMPS_FEW;
}

/* After the head, drops every second stamp until the rest is few enough. */
static void put_stamps(struct profile_step *step, struct profile_stamp *to,
		       uint32_t first, struct profile_stamp *from,
		       uint32_t most)
{
	uint32_t skip = 1, count;

	shorten_head(step, from + step->first);
	count = step->head;
	while ((step->count - step->head + skip - 1) / skip + step->head > most)
		skip *= 2;
	memcpy(to + first, from + step->first, count * sizeof(*to));
	for (uint32_t i = step->head; i < step->count; i += skip)
		to[first + count++] = from[step->first + i];
	step->stride *= skip;
	step->first = first;
	step->count = count;
	steps_round(to + first, count, step->calls / step->per);
}

static void drop_short_steps(struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->step_count; i++)
		if (p->steps[i].count >= STEPS_LEAST)
			p->steps[kept++] = p->steps[i];
	p->step_count = kept;
}

static void put_step_lines(struct reader *r, const struct profile_step *lines,
			   size_t count)
{
	struct profile *p = r->p;

	for (size_t i = 0; i < count; i++)
		if (reader_grow(r, &p->steps, p->step_count, sizeof(*lines)))
			p->steps[p->step_count++] = lines[i];
}

static void choose_all_steps(struct reader *r)
{
	struct profile *p = r->p;
	struct profile_step lines[STEPS_OF_LINES];
	size_t line_count = reader_lines(r, lines);
	struct profile_stamp *to = calloc(p->stamp_count + 1, sizeof(*to));
	uint32_t most = stamps_wanted(p), next = 0;

	drop_short_steps(p);
	for (size_t i = 0; i < p->step_count && to && !r->err; i++)
		if (!judge_step(p, &p->steps[i]))
			reader_no_memory(r);
	if (!to) {
		reader_no_memory(r);
		return;
	}
	r->err = r->err ? r->err : step_loops(p);
	choose_steps(p);
	put_step_lines(r, lines, line_count);
	for (size_t i = 0; i < p->step_count; i++) {
		if (i == STEPS_FIRST)
			most = 2 * LIVE_STAMPS_FEW;
		put_stamps(&p->steps[i], to, next, p->stamps, most);
		next += p->steps[i].count;
	}
	free(p->stamps);
	p->stamps = to;
	p->stamp_count = next;
}

const struct live_section section_steps = {
	.call = take_call_stamps,
	.order = choose_all_steps,
};
