/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-steps.c - the stamps of a live profile, read; of them, those contexts
 * that are the most regular for the longest time.  What else is there is not
 * worth its room in the file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live-reader.h"
#include "profile/step-pattern.h"

#define STEPS_NEAR 0.7 /* as regular, for as long, as the most regular */

enum {
	STEPS_KEPT = 4,
	STEPS_LEAST = 4,    /* calls */
	STEPS_RANKS = 1024, /* in larger jobs a rank keeps fewer stamps, … */
	STEPS_STAMPS_LEAST = 255 /* … but these */
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

void reader_stamps(struct reader *r, uint32_t node, uint32_t thread,
		   const struct live_call *call)
{
	struct profile *p = r->p;
	struct live_stamps head;
	struct profile_step step = { .node = node, .thread = thread };
	const void *at = call->stamps
				 ? reader_claim(r, call->stamps, sizeof(head))
				 : NULL;

	if (!at)
		return;
	memcpy(&head, at, sizeof(head));
	if (head.moving & 1 || head.count < STEPS_LEAST || !head.stride)
		return;
	step.calls = call->calls;
	step.count = head.count;
	step.stride = head.stride;
	step.head =
		head.count < LIVE_STAMPS_HEAD ? head.count : LIVE_STAMPS_HEAD;
	step.first = (uint32_t)p->stamp_count;
	/* Phases have no number of calls there. */
	if (!step.calls)
		step.calls = step.head +
			     (uint64_t)(step.count - step.head) * step.stride;
	if (!take_stamps(r, &step, call->stamps))
		p->stamp_count = step.first;
	else if (reader_grow(r, &p->steps, p->step_count, sizeof(step)))
		p->steps[p->step_count++] = step;
}

/* By its first stamps, which all are there, and by all of them. */
static bool judge_step(const struct profile *p, struct profile_step *step)
{
	const struct profile_stamp *at = &p->stamps[step->first];
	uint32_t head = step->stride > 1 ? step->head : 0, row;

	step->per = step_calls(at, head ? head : step->count);
	for (row = step->stride; row % step->per; row += step->stride)
		;
	step->regular =
		step_regular(at + head, step->count - head, row / step->stride);
	return step->regular >= 0;
}

static double weight_of_step(const struct profile *p,
			     const struct profile_step *step)
{
	const struct profile_stamp *at = &p->stamps[step->first];

	return step->regular * (double)(at[step->count - 1].ns - at->ns);
}

struct step_order {
	const struct profile *p;
	double least; /* weight, from which on the number of steps counts */
};

static int by_step_weight(const void *x, const void *y, void *of)
{
	const struct profile_step *a = x, *b = y;
	const struct step_order *by = of;
	double u = weight_of_step(by->p, a), v = weight_of_step(by->p, b);
	uint64_t m = u >= by->least ? a->calls / a->per : 0;
	uint64_t n = v >= by->least ? b->calls / b->per : 0;

	if (m != n)
		return ORDER(n, m);
	if (u != v)
		return u < v ? 1 : -1;
	return ORDER(a->node, b->node);
}

/* Those that come near the most regular one; of these, with the most steps. */
static void sort_steps(struct profile *p)
{
	struct step_order by = { .p = p };

	for (size_t i = 0; i < p->step_count; i++)
		by.least = fmax(by.least, weight_of_step(p, &p->steps[i]));
	by.least *= STEPS_NEAR;
	if (p->step_count)
		qsort_r(p->steps, p->step_count, sizeof(*p->steps),
			by_step_weight, &by);
}

static uint32_t stamps_wanted(const struct profile *p)
{
	uint64_t most = LIVE_STAMPS;

	if (p->id.size > STEPS_RANKS)
		most = most * STEPS_RANKS / (uint64_t)p->id.size;
	return most > STEPS_STAMPS_LEAST ? (uint32_t)most : STEPS_STAMPS_LEAST;
}

/* Behind the head every other one goes, until the others are few enough. */
static void put_stamps(struct profile_step *step, struct profile_stamp *to,
		       uint32_t first, const struct profile_stamp *from,
		       uint32_t most)
{
	uint32_t skip = 1, count = step->head;

	while ((step->count - step->head + skip - 1) / skip + step->head > most)
		skip *= 2;
	memcpy(to + first, from + step->first, count * sizeof(*to));
	for (uint32_t i = step->head; i < step->count; i += skip)
		to[first + count++] = from[step->first + i];
	step->stride *= skip;
	step->first = first;
	step->count = count;
}

void reader_steps(struct reader *r)
{
	struct profile *p = r->p;
	struct profile_stamp *to = calloc(p->stamp_count + 1, sizeof(*to));
	uint32_t most = stamps_wanted(p), next = 0;

	for (size_t i = 0; i < p->step_count && to && !r->err; i++)
		if (!judge_step(p, &p->steps[i]))
			reader_no_memory(r);
	if (!to) {
		reader_no_memory(r);
		return;
	}
	sort_steps(p);
	if (p->step_count > STEPS_KEPT)
		p->step_count = STEPS_KEPT;
	for (size_t i = 0; i < p->step_count; i++) {
		put_stamps(&p->steps[i], to, next, p->stamps, most);
		next += p->steps[i].count;
	}
	free(p->stamps);
	p->stamps = to;
	p->stamp_count = next;
}
