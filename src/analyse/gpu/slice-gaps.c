/* SPDX-License-Identifier: BSD-3-Clause */
/* slice-gaps.c - when devices had nothing to do, and what the host did then. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/gpu/slice-view.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"

/* The piece of work of each device that ends last, so far. */
struct last_work {
	struct map map; /* (rank, device) to at */
	const struct run_slice **at;
	size_t count, room;
};

/* NULL: no memory. */
static const struct run_slice **last_of(struct last_work *last,
					const struct run_slice *work)
{
	const struct run_slice *none = NULL;
	uint32_t at = map_put(&last->map, work->rank, work->device,
			      (uint32_t)last->count);

	if (at == MAP_NONE || (at == last->count &&
			       !array_append(&last->at, &last->count,
					     &last->room, sizeof(none), &none)))
		return NULL;
	return &last->at[at];
}

static uint64_t end_of_work(const struct run_slice *work)
{
	return work->start_ns + work->ns;
}

ORDER_BY(by_gap_time, struct slice_gap, DESC(ns) ?: ASC(from))

static bool put_gap(struct slice_gap **to, size_t *count, size_t *room,
		    const struct slice_view *view,
		    const struct run_slice *before,
		    const struct run_slice *after)
{
	struct slice_gap gap = { .before = before,
				 .after = after,
				 .from = end_of_work(before) };

	gap.ns = after->start_ns - gap.from;
	return !slice_view_part(view, after->rank, gap.from, gap.ns) ||
	       array_append(to, count, room, sizeof(gap), &gap);
}

int slice_gaps(const struct slice_view *view, struct slice_gap **to,
	       size_t *count)
{
	const struct run_slices *t = &view->run->slices;
	struct last_work last = { 0 };
	size_t room = 0;
	bool ok = true;

	*to = NULL;
	*count = 0;
	for (size_t i = 0; i < t->work_count && ok; i++) {
		const struct run_slice *work = &t->work[i];
		const struct run_slice **before = last_of(&last, work);

		ok = before != NULL;
		if (ok && *before && work->start_ns > end_of_work(*before))
			ok = put_gap(to, count, &room, view, *before, work);
		if (ok &&
		    (!*before || end_of_work(work) > end_of_work(*before)))
			*before = work;
	}
	map_fini(&last.map);
	free(last.at);
	if (!ok)
		return no_memory();
	if (*count)
		qsort(*to, *count, sizeof(**to), by_gap_time);
	return 0;
}

/* The call of that thread that took most of from … until. */
static void find_gap_call(const struct slice_view *view, struct slice_gap *gap,
			  uint64_t until)
{
	const struct run_slices *t = &view->run->slices;

	for (size_t i = 0; i < t->call_count; i++) {
		const struct run_slice_call *c = &t->calls[i];
		uint64_t from = gap->from, end = c->start_ns + c->ns;

		if (c->rank != gap->after->rank ||
		    c->thread != gap->after->thread || c->start_ns >= until)
			continue;
		from = c->start_ns > from ? c->start_ns : from;
		end = end < until ? end : until;
		if (end > from && end - from > gap->call_ns) {
			gap->call = c;
			gap->call_ns = end - from;
		}
	}
}

static void find_gap_range(const struct slice_view *view, struct slice_gap *gap,
			   uint64_t until)
{
	const struct run_slices *t = &view->run->slices;

	for (size_t i = 0; i < t->range_count; i++) {
		const struct run_slice_range *r = &t->ranges[i];

		if (r->rank == gap->after->rank &&
		    r->thread == gap->after->thread && r->start_ns <= until &&
		    r->start_ns + r->ns >= until)
			gap->range = r; /* a later one is further inside */
	}
}

void slice_gap_explain(const struct slice_view *view, struct slice_gap *gap)
{
	uint64_t launched = gap->after->launched_ns;

	gap->queued = launched && launched <= gap->from;
	if (!launched || gap->queued)
		return;
	find_gap_call(view, gap, launched);
	find_gap_range(view, gap, launched);
}
