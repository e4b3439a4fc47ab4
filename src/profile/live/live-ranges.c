/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-ranges.c - what GPUs did for the ranges of a program, read: sums of
 * those whose places were needed, and spans that stand there still.
 */
#include <stdlib.h>
#include <string.h>

#include "live/spans.h"
#include "profile/live/live-reader.h"

enum {
	RANGES_MOST = 4096 /* with those whose names are not kept apart */
};

/* While it is read. */
struct range_reader {
	struct live_range *at;
	size_t count, lost;
};

static struct live_range *find_live_range(struct range_reader *to,
					  uint32_t name)
{
	for (size_t i = 0; i < to->count; i++)
		if (to->at[i].name == name)
			return &to->at[i];
	if (to->count == RANGES_MOST)
		return NULL;
	to->at[to->count] = (struct live_range){ .name = name };
	return &to->at[to->count++];
}

static void take_range_sums(struct reader *r, struct range_reader *to)
{
	live_ref ref = r->header.gpu_lists.ranges;

	while (ref && to->count < RANGES_MOST) {
		struct live_range *range = &to->at[to->count];
		const void *from = reader_claim(r, ref, sizeof(*range));

		if (!from)
			return;
		memcpy(range, from, sizeof(*range));
		ref = range->next;
		to->count++;
	}
}

/* What is not known to its end is lost. */
static void take_span(struct reader *r, struct range_reader *to,
		      const struct live_span *s)
{
	struct live_range *range = NULL;

	if (!s->number || s->nested)
		return;
	if (s->number != UINT64_MAX && s->state == LIVE_SPAN_DONE &&
	    s->name < r->p->name_count)
		range = find_live_range(to, s->name);
	if (range)
		spans_add(range, s);
	else
		to->lost++;
}

static void take_spans(struct reader *r, struct range_reader *to)
{
	const char *from = reader_claim(r, r->header.gpu_lists.spans,
					sizeof(struct live_spans));
	struct live_span s;

	if (!from)
		return;
	memcpy(&to->lost, from + offsetof(struct live_spans, unplaced),
	       sizeof(to->lost));
	for (size_t i = 0; i < LIVE_SPANS; i++) {
		memcpy(&s, from + offsetof(struct live_spans, at[i]),
		       sizeof(s));
		take_span(r, to, &s);
	}
}

static void put_range(struct reader *r, struct live_range *range)
{
	struct profile *p = r->p;
	struct profile_range *to;

	if (range->name >= p->name_count ||
	    range->longest_at_ns > PROFILE_TIME_MOST) {
		r->damaged++;
		return;
	}
	if (!reader_grow(r, &p->ranges, p->range_count, sizeof(*p->ranges)))
		return;
	range->time_p95_ns = spans_quantile(range->time_buckets, 0.95);
	if (range->time_p95_ns > range->longest_ns)
		range->time_p95_ns = range->longest_ns;
	range->busy_p95_ns = spans_quantile(range->busy_buckets, 0.95);
	to = &p->ranges[p->range_count++];
	*to = (struct profile_range){
		.name = range->name,
#define COLUMN(type, name, ...) .name = range->name,
#include "live/range.def"
#undef COLUMN
	};
	reader_fixed_text(to->longest, sizeof(to->longest), range->longest,
			  sizeof(range->longest));
}

static void read_ranges(struct reader *r)
{
	struct range_reader to = { 0 };

	if (!r->header.gpu_lists.spans || !r->header.gpu_times.first_ns)
		return;
	to.at = calloc(RANGES_MOST, sizeof(*to.at));
	if (!to.at) {
		reader_no_memory(r);
		return;
	}
	take_range_sums(r, &to);
	take_spans(r, &to);
	r->p->losses[LOSS_GPU_RANGES].count += to.lost;
	for (size_t i = 0; i < to.count; i++)
		put_range(r, &to.at[i]);
	free(to.at);
}

const struct live_section section_ranges = { .tables = read_ranges };
