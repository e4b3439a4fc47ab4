/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-slices.c - the ring of --gpu-trace in a live profile, read: pieces of
 * GPU work, calls of CUDA and ranges, each with its times.
 */
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"

static uint32_t node_of_slice(struct reader *r, const struct live_slice *s)
{
	const struct live_gpu work = { .node = s->node,
				       .why = s->why,
				       .from = s->from,
				       .below = r->header.slices.captured,
				       .name = s->name };

	return reader_gpu_node(r, &work);
}

static void take_slice_work(struct reader *r, const struct live_slice *s)
{
	struct profile *p = r->p;
	uint32_t node = node_of_slice(r, s);

	if (!reader_grow(r, &p->slices, p->slice_count, sizeof(*p->slices)))
		return;
	p->slices[p->slice_count++] = (struct profile_slice){
		.start = s->start,
		.end = s->end,
		.launched = s->launched,
		.bytes = s->bytes,
		.id = s->id,
		.node = node,
		.thread = s->thread,
		.device = s->device,
		.context = s->context,
		.stream = s->stream,
		.kind = s->kind,
		.function = s->function,
	};
}

static void take_slice_call(struct reader *r, const struct live_slice *s)
{
	struct profile *p = r->p;
	uint32_t node = reader_node(r, s->node);

	if (!reader_grow(r, &p->slice_calls, p->slice_call_count,
			 sizeof(*p->slice_calls)))
		return;
	p->slice_calls[p->slice_call_count++] = (struct profile_slice_call){
		.start = s->start,
		.end = s->end,
		.id = s->id,
		.node = node,
		.thread = s->thread,
	};
}

static void take_slice_range(struct reader *r, const struct live_slice *s)
{
	struct profile *p = r->p;
	struct profile_slice_range *to;

	if (!reader_grow(r, &p->slice_ranges, p->slice_range_count,
			 sizeof(*p->slice_ranges)))
		return;
	to = &p->slice_ranges[p->slice_range_count++];
	*to = (struct profile_slice_range){ .start = s->start,
					    .end = s->end,
					    .thread = s->thread };
	reader_fixed_text(to->name, sizeof(to->name), s->text, sizeof(s->text));
}

static bool is_good_work(const struct live_slice *s)
{
	return s->kind < LIVE_GPU_IDLE && s->function < LIVE_COLLECTIVES &&
	       s->why < LOSS_COUNT && s->launched <= PROFILE_TIME_MOST;
}

/*
 * One that was being written has the numbers of two.  Of work whose call is not
 * known, the thread is not either: the first.
 */
static void take_live_slice(struct reader *r, const void *at)
{
	struct live_slice s;

	memcpy(&s, at, sizeof(s));
	if (!s.done || s.done != s.begun)
		return;
	if (s.thread >= r->p->thread_count && s.kind < LIVE_GPU_KINDS)
		s.thread = 0;
	if (s.thread >= r->p->thread_count || s.start > s.end ||
	    s.end > PROFILE_TIME_MOST)
		r->damaged++;
	else if (s.kind == LIVE_SLICE_RANGE)
		take_slice_range(r, &s);
	else if (s.kind == LIVE_SLICE_CALL)
		take_slice_call(r, &s);
	else if (is_good_work(&s))
		take_slice_work(r, &s);
	else
		r->damaged++;
}

static void take_slice_chunk(struct reader *r, live_ref ref)
{
	const char *at = reader_claim(
		r, ref, LIVE_SLICE_CHUNK * sizeof(struct live_slice));

	for (size_t i = 0; at && i < LIVE_SLICE_CHUNK && !r->err; i++)
		take_live_slice(r, at + i * sizeof(struct live_slice));
}

static void take_slice_window(struct reader *r)
{
	const struct live_slices *from = &r->header.slices;
	struct profile *p = r->p;
	uint64_t kept =
		p->slice_count + p->slice_call_count + p->slice_range_count;

	if (!reader_grow(r, &p->slice_windows, p->slice_window_count,
			 sizeof(*p->slice_windows)))
		return;
	p->slice_windows[p->slice_window_count++] =
		(struct profile_slice_window){
			.room = from->room,
			.lost = from->last > kept ? from->last - kept : 0,
			.lost_until = from->lost_until_ns,
			.begin = from->from_ns,
			.end = from->until_ns,
		};
}

ORDER_BY(by_slice_start, struct profile_slice, ASC(start) ?: DESC(end))

ORDER_BY(by_slice_call_start, struct profile_slice_call,
	 ASC(start) ?: DESC(end))

/* Of ranges that begin at once the longer one has the other in it. */
ORDER_BY(by_slice_range_start, struct profile_slice_range,
	 ASC(start) ?: DESC(end))

static void order_slices(struct profile *p)
{
	if (p->slice_count)
		qsort(p->slices, p->slice_count, sizeof(*p->slices),
		      by_slice_start);
	if (p->slice_call_count)
		qsort(p->slice_calls, p->slice_call_count,
		      sizeof(*p->slice_calls), by_slice_call_start);
	if (p->slice_range_count)
		qsort(p->slice_ranges, p->slice_range_count,
		      sizeof(*p->slice_ranges), by_slice_range_start);
}

static void read_slices(struct reader *r)
{
	const struct live_slices *from = &r->header.slices;
	uint64_t chunks = from->room / LIVE_SLICE_CHUNK;
	const char *refs;

	if (!from->room || chunks > r->size / sizeof(live_ref))
		return;
	refs = reader_claim(r, from->chunks, chunks * sizeof(live_ref));
	for (uint64_t i = 0; refs && i < chunks && !r->err; i++) {
		live_ref ref;

		memcpy(&ref, refs + i * sizeof(ref), sizeof(ref));
		if (ref)
			take_slice_chunk(r, ref);
	}
	take_slice_window(r);
	order_slices(r->p);
}

const struct live_section section_slices = { .tables = read_slices };
