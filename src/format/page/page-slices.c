/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-slices.c - the end of a trace of GPUs, for a page: the last SLICES_MOST
 * pieces of work, calls and ranges, from one time on in all processes.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/gpu/slice-view.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "format/page/page-parts.h"

enum {
	SLICES_MOST = 30000 /* 0.3 MB of a page */
};

/* Which rows are in it: those that end behind a time. */
struct shown_slices {
	const struct run_slices *all;
	uint64_t from;
	uint32_t *work, *calls, *ranges;
	size_t work_count, call_count, range_count;
};

static int by_slice_end(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER(*b, *a);
}

/* 0, or -ENOMEM with a reason. */
static int find_first_time(struct shown_slices *to)
{
	const struct run_slices *t = to->all;
	size_t count = t->work_count + t->call_count + t->range_count, at = 0;
	uint64_t *ends = calloc(count + 1, sizeof(*ends));

	if (!ends)
		return no_memory();
	for (size_t i = 0; i < t->work_count; i++)
		ends[at++] = t->work[i].start_ns + t->work[i].ns;
	for (size_t i = 0; i < t->call_count; i++)
		ends[at++] = t->calls[i].start_ns + t->calls[i].ns;
	for (size_t i = 0; i < t->range_count; i++)
		ends[at++] = t->ranges[i].start_ns + t->ranges[i].ns;
	if (count > SLICES_MOST) {
		qsort(ends, count, sizeof(*ends), by_slice_end);
		to->from = ends[SLICES_MOST];
	}
	free(ends);
	return 0;
}

#define FIND_SHOWN(to, rows, count, shown, shown_count)                        \
	for (uint32_t i = 0; i < (count); i++)                                 \
		if (!(to)->from ||                                             \
		    (rows)[i].start_ns + (rows)[i].ns > (to)->from)            \
	(to)->shown[(to)->shown_count++] = i

static int find_shown(struct shown_slices *to, const struct run_slices *t)
{
	int err;

	*to = (struct shown_slices){ .all = t };
	err = find_first_time(to);
	to->work = calloc(t->work_count + 1, sizeof(*to->work));
	to->calls = calloc(t->call_count + 1, sizeof(*to->calls));
	to->ranges = calloc(t->range_count + 1, sizeof(*to->ranges));
	if (err)
		return err;
	if (!to->work || !to->calls || !to->ranges)
		return no_memory();
	FIND_SHOWN(to, t->work, t->work_count, work, work_count);
	FIND_SHOWN(to, t->calls, t->call_count, calls, call_count);
	FIND_SHOWN(to, t->ranges, t->range_count, ranges, range_count);
	return 0;
}

static void shown_slices_fini(struct shown_slices *shown)
{
	free(shown->work);
	free(shown->calls);
	free(shown->ranges);
}

/* The place of each piece's call among those that are shown, from 1. */
static int put_work_calls(struct page_stream *s, const struct shown_slices *of)
{
	struct map map = { 0 };
	bool ok = true;

	for (size_t i = 0; i < of->call_count && ok; i++) {
		const struct run_slice_call *c = &of->all->calls[of->calls[i]];

		ok = map_put(&map, c->rank, c->id, (uint32_t)i) != MAP_NONE;
	}
	page_array(s, "slice.work.call", PAGE_VARINT);
	for (size_t i = 0; i < of->work_count; i++) {
		const struct run_slice *w = &of->all->work[of->work[i]];

		page_number(s, map_get(&map, w->rank, w->id) + 1);
	}
	page_array_end(s);
	map_fini(&map);
	return ok ? 0 : no_memory();
}

static int put_slice_work(struct page_stream *s, const struct shown_slices *of)
{
	const struct run_slice *w = of->all->work;
	const uint32_t *at = of->work;
	size_t count = of->work_count;

	PAGE_COLUMN(s, "slice.work.rank", PAGE_VARINT, count, w[at[i]].rank);
	PAGE_COLUMN(s, "slice.work.start", PAGE_DELTA, count,
		    w[at[i]].start_ns);
	PAGE_COLUMN(s, "slice.work.ns", PAGE_VARINT, count, w[at[i]].ns);
	PAGE_COLUMN(s, "slice.work.node", PAGE_VARINT, count, w[at[i]].node);
	PAGE_COLUMN(s, "slice.work.device", PAGE_VARINT, count,
		    w[at[i]].device);
	PAGE_COLUMN(s, "slice.work.stream", PAGE_VARINT, count,
		    w[at[i]].stream);
	PAGE_COLUMN(s, "slice.work.kind", PAGE_U8, count, w[at[i]].kind);
	PAGE_COLUMN(s, "slice.work.bytes", PAGE_VARINT, count, w[at[i]].bytes);
	return put_work_calls(s, of);
}

int page_put_slices(struct page_stream *s, const struct run *run,
		    struct page_strings *strings)
{
	const struct run_slices *t = &run->slices;
	const struct run_slice_call *c = t->calls;
	const struct run_slice_range *r = t->ranges;
	struct shown_slices of;
	int err;

	if (!t->work_count)
		return 0;
	err = find_shown(&of, t);
	if (!err) {
		fprintf(s->json,
			"\"slices\": {\"from\": %" PRIu64 ", \"work\": %zu},\n",
			of.from, t->work_count);
		PAGE_COLUMN(s, "slice.call.rank", PAGE_VARINT, of.call_count,
			    c[of.calls[i]].rank);
		PAGE_COLUMN(s, "slice.call.start", PAGE_DELTA, of.call_count,
			    c[of.calls[i]].start_ns);
		PAGE_COLUMN(s, "slice.call.ns", PAGE_VARINT, of.call_count,
			    c[of.calls[i]].ns);
		PAGE_COLUMN(s, "slice.call.node", PAGE_VARINT, of.call_count,
			    c[of.calls[i]].node);
		PAGE_COLUMN(s, "slice.call.thread", PAGE_VARINT, of.call_count,
			    c[of.calls[i]].thread);
		PAGE_COLUMN(s, "slice.range.rank", PAGE_VARINT, of.range_count,
			    r[of.ranges[i]].rank);
		PAGE_COLUMN(s, "slice.range.start", PAGE_DELTA, of.range_count,
			    r[of.ranges[i]].start_ns);
		PAGE_COLUMN(s, "slice.range.ns", PAGE_VARINT, of.range_count,
			    r[of.ranges[i]].ns);
		PAGE_COLUMN(s, "slice.range.thread", PAGE_VARINT,
			    of.range_count, r[of.ranges[i]].thread);
		PAGE_COLUMN(s, "slice.range.name", PAGE_VARINT, of.range_count,
			    page_string(strings, r[of.ranges[i]].name));
		err = put_slice_work(s, &of);
	}
	shown_slices_fini(&of);
	return err;
}
