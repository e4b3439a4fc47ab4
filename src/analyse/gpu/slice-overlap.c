/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slice-overlap.c - how much of the kernels of communication ran while another
 * kernel did, on the same device.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/gpu/slice-view.h"
#include "analyse/paths/paths.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"

/* When kernels that are none of communication ran, on one device. */
struct busy_span {
	uint32_t rank, device;
	uint64_t from, until;
};

struct busy_spans {
	struct busy_span *at;
	size_t count, room;
};

static bool is_kernel_work(const struct run_slice *work)
{
	return work->kind == LIVE_GPU_KERNEL || work->kind == LIVE_GPU_GRAPH;
}

static bool is_message_work(const struct run *run, const struct run_slice *work)
{
	const char *name = paths_function(run, work->node);

	return work->kind == LIVE_GPU_KERNEL &&
	       (work->function || !strncmp(name, "ncclDevKernel", 13) ||
		!strncmp(name, "ncclKernel", 10));
}

const char *slice_name(const struct run *run, const struct run_slice *work)
{
	if (work->function)
		return run_collective_name(work->function);
	return paths_function(run, work->node);
}

ORDER_BY(by_busy_device, struct busy_span,
	 ASC(rank) ?: ASC(device) ?: ASC(from) ?: ASC(until))

/* Those that touch or overlap become one. */
static void join_busy(struct busy_spans *spans)
{
	size_t kept = 0;

	for (size_t i = 0; i < spans->count; i++) {
		struct busy_span *s = &spans->at[i];
		struct busy_span *last = kept ? &spans->at[kept - 1] : NULL;

		if (!last || last->rank != s->rank ||
		    last->device != s->device || s->from > last->until)
			spans->at[kept++] = *s;
		else if (s->until > last->until)
			last->until = s->until;
	}
	spans->count = kept;
}

static bool find_busy(struct busy_spans *to, const struct run *run)
{
	const struct run_slices *t = &run->slices;

	for (size_t i = 0; i < t->work_count; i++) {
		const struct run_slice *w = &t->work[i];
		const struct busy_span span = { w->rank, w->device, w->start_ns,
						w->start_ns + w->ns };

		if (is_kernel_work(w) && !is_message_work(run, w) &&
		    !array_append(&to->at, &to->count, &to->room, sizeof(span),
				  &span))
			return false;
	}
	if (to->count)
		qsort(to->at, to->count, sizeof(*to->at), by_busy_device);
	join_busy(to);
	return true;
}

/* The first span of that device that ends behind `from`; count: none. */
static size_t first_busy(const struct busy_spans *spans,
			 const struct run_slice *work)
{
	size_t first = 0;

	for (size_t end = spans->count; first < end;) {
		size_t middle = first + (end - first) / 2;
		const struct busy_span *s = &spans->at[middle];

		if (s->rank < work->rank ||
		    (s->rank == work->rank && (s->device < work->device ||
					       (s->device == work->device &&
						s->until <= work->start_ns))))
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static uint64_t hidden_time(const struct slice_view *view,
			    const struct busy_spans *spans,
			    const struct run_slice *work)
{
	uint64_t end = work->start_ns + work->ns, sum = 0;

	for (size_t i = first_busy(spans, work); i < spans->count; i++) {
		const struct busy_span *s = &spans->at[i];
		uint64_t from =
			s->from > work->start_ns ? s->from : work->start_ns;
		uint64_t until = s->until < end ? s->until : end;

		if (s->rank != work->rank || s->device != work->device ||
		    s->from >= end)
			break;
		sum += slice_view_part(view, work->rank, from, until - from);
	}
	return sum;
}

ORDER_BY(by_message_time, struct slice_message, DESC(ns) ?: ASC(first->node))

static struct slice_message *
message_of(struct map *map, struct slice_message **to, size_t *count,
	   size_t *room, const struct run *run, const struct run_slice *work)
{
	struct slice_message new = { .first = work };
	uint32_t name = work->function ? 0 : run->nodes[work->node].function;
	uint32_t at = map_put(map, work->function, name, (uint32_t)*count);

	if (at == MAP_NONE ||
	    (at == *count && !array_append(to, count, room, sizeof(new), &new)))
		return NULL;
	return &(*to)[at];
}

int slice_messages(const struct slice_view *view, struct slice_message **to,
		   size_t *count)
{
	const struct run *run = view->run;
	struct busy_spans spans = { 0 };
	struct map map = { 0 };
	size_t room = 0;
	bool ok = find_busy(&spans, run);

	*to = NULL;
	*count = 0;
	for (size_t i = 0; i < run->slices.work_count && ok; i++) {
		const struct run_slice *w = &run->slices.work[i];
		struct slice_message *m;

		if (!is_message_work(run, w) || !slice_view_has(view, w))
			continue;
		m = message_of(&map, to, count, &room, run, w);
		ok = m != NULL;
		if (!ok)
			break;
		m->count++;
		m->bytes += w->bytes;
		m->ns += slice_view_part(view, w->rank, w->start_ns, w->ns);
		m->hidden_ns += hidden_time(view, &spans, w);
	}
	free(spans.at);
	map_fini(&map);
	if (!ok)
		return no_memory();
	if (*count)
		qsort(*to, *count, sizeof(**to), by_message_time);
	return 0;
}
