/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-time.c - of pieces in the order of their start, a union is the sum of
 * what is beyond the end of those before.
 */
#include "collect/gpu/gpu-time.h"

#include <string.h>

#include "base/sys.h"
#include "collect/gpu/gpu-awaited.h"
#include "collect/gpu/gpu-counters.h"
#include "collect/gpu/gpu-idle.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu-spans.h"
#include "collect/registry.h"

enum {
	DEVICES = 64,
	STREAMS = 512,     /* in a table twice as large */
	FIRST_SHIFT = 20,  /* bins of 1 ms */
	KEPT_NS = 1000000, /* of histories, before what is settled */
	NAME_MOST = 256,
};

/* Up to where there was work. */
struct device {
	struct live_device *live;
	uint32_t id;
	uint64_t any, kernels, copies;
	uint64_t messages, others; /* of kernels of NCCL, and of others */
	uint64_t message_span;     /* of the first that ended last */
	uint64_t passed;           /* up to where it is known: */
};

struct stream {
	struct live_stream *live;
	uint64_t any;
};

/* Mutable: of the live profile in `arena`. */
static struct {
	struct arena *arena;
	struct arena_small small;
	live_ref last_device, last_stream;
	struct device devices[DEVICES];
	uint32_t device_count;
	struct stream streams[2 * STREAMS], others;
	uint32_t stream_count;
	uint64_t start;   /* of the last piece that was taken */
	uint64_t any;     /* of all devices: up to where there was work */
	uint64_t idle_ns; /* of all devices, before that */
} now;

/* What of a piece is beyond that end, which it moves. */
static uint64_t time_beyond(uint64_t *end, const struct live_piece *p)
{
	uint64_t from = p->start > *end ? p->start : *end;

	if (p->end <= from)
		return 0;
	*end = p->end;
	return p->end - from;
}

/* A record whose first member is the reference to the next of its list. */
static void *new_record(uint64_t size, live_ref *ref)
{
	*ref = arena_small(now.arena, &now.small, size);
	return *ref ? arena_at(now.arena, *ref) : NULL;
}

static void publish_ref(live_ref ref, live_ref *head, live_ref *last)
{
	live_ref *to = *last ? arena_at(now.arena, *last) : head;

	__atomic_store_n(to, ref, __ATOMIC_RELEASE);
	*last = ref;
}

/* Devices */

static struct device *find_device(uint32_t id)
{
	struct live_header *header = registry_header();
	struct device *d = now.devices;
	live_ref ref;

	for (; d < now.devices + now.device_count; d++)
		if (d->id == id)
			return d;
	if (now.device_count == DEVICES)
		return NULL;
	*d = (struct device){ .live = new_record(sizeof(*d->live), &ref),
			      .id = id };
	if (!d->live)
		return NULL;
	d->live->id = id;
	d->live->instance = -1;
	publish_ref(ref, &header->gpu_devices, &now.last_device);
	now.device_count++;
	return d;
}

static live_ref put_name(const char *name)
{
	uint32_t length = sys_length(name, NAME_MOST);
	live_ref ref = arena_small(now.arena, &now.small,
				   sizeof(struct live_text) + length + 1);
	struct live_text *text;

	if (!ref)
		return 0;
	text = arena_at(now.arena, ref);
	memcpy(text->text, name, length);
	text->length = length;
	return ref;
}

void gpu_time_device(const struct gpu_device *device)
{
	struct device *d = now.arena ? find_device(device->id) : NULL;

	/* Of a MIG instance one source knows more than the other. */
	if (!d || (d->live->name && device->instance < 0))
		return;
	memcpy(d->live->uuid, device->uuid, sizeof(d->live->uuid));
	d->live->instance = device->instance;
	if (device->name)
		__atomic_store_n(&d->live->name, put_name(device->name),
				 __ATOMIC_RELEASE);
}

/* The timeline */

static void widen_busy_bins(struct live_device *d, uint64_t *bins)
{
	__atomic_fetch_add(&d->moving, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	for (uint64_t i = 0; i < LIVE_BINS; i++) {
		uint64_t to = ((d->first_bin + i) >> 1) - (d->first_bin >> 1);
		uint64_t ns = bins[i];

		bins[i] = 0;
		bins[to] += ns;
	}
	d->first_bin >>= 1;
	d->bin_shift++;
	__atomic_fetch_add(&d->moving, 1, __ATOMIC_SEQ_CST);
}

static uint64_t *bins_of(struct live_device *d, uint64_t from)
{
	if (!d->bins) {
		d->bin_shift = FIRST_SHIFT;
		d->first_bin = from >> FIRST_SHIFT;
		__atomic_store_n(
			&d->bins,
			arena_pages(now.arena, LIVE_BINS * sizeof(uint64_t)),
			__ATOMIC_RELEASE);
	}
	return d->bins ? arena_at(now.arena, d->bins) : NULL;
}

static void fill_busy_bins(struct live_device *d, uint64_t from, uint64_t to)
{
	uint64_t *bins = bins_of(d, from);

	if (!bins || from >> d->bin_shift < d->first_bin)
		return;
	while ((to >> d->bin_shift) - d->first_bin >= LIVE_BINS)
		widen_busy_bins(d, bins);
	while (from < to) {
		uint64_t bin = from >> d->bin_shift;
		uint64_t end = (bin + 1) << d->bin_shift;

		end = end < to ? end : to;
		bins[bin - d->first_bin] += end - from;
		from = end;
	}
}

/*
 * Up to there no kernel starts that is not known: what of NCCL's has no other
 * kernel beside it.
 */
static void pass_messages(struct device *d, uint64_t until)
{
	uint64_t from = d->passed > d->others ? d->passed : d->others;
	uint64_t to = until < d->messages ? until : d->messages;

	if (to > from) {
		d->live->exposed_ns += to - from;
		gpu_spans_exposed(d->message_span, to - from);
	}
	if (until > d->passed)
		d->passed = until;
}

static void add_kernel(struct device *d, const struct live_piece *p)
{
	uint64_t *end = &d->others;

	pass_messages(d, p->start);
	if (p->kernel == LIVE_PIECE_MESSAGE) {
		end = &d->messages;
		if (p->end > *end)
			d->message_span = p->span;
	}
	if (p->end > *end)
		*end = p->end;
}

static void add_to_device(struct device *d, const struct live_piece *p)
{
	struct live_device *live = d->live;
	uint64_t fresh = time_beyond(&d->any, p);

	live->busy_ns += fresh;
	if (fresh)
		fill_busy_bins(live, d->any - fresh, d->any);
	if (p->kernel) {
		add_kernel(d, p);
		live->kernels++;
		live->kernels_ns += time_beyond(&d->kernels, p);
		live->kernels_until_ns = d->kernels;
		live->kernels_sum_ns += p->end - p->start;
	} else {
		live->copies++;
		live->copies_ns += time_beyond(&d->copies, p);
		live->copies_until_ns = d->copies;
	}
	if (!live->first_ns || p->start < live->first_ns)
		live->first_ns = p->start;
	live->last_ns = d->any;
}

/* Streams */

static bool is_stream(const struct live_stream *s, const struct live_piece *p)
{
	return s->device == p->device && s->context == p->context &&
	       s->stream == p->stream;
}

static bool make_stream(struct stream *s, uint32_t device, uint32_t context,
			uint32_t stream)
{
	struct live_header *header = registry_header();
	live_ref ref;

	s->live = new_record(sizeof(*s->live), &ref);
	if (!s->live)
		return false;
	s->live->device = device;
	s->live->context = context;
	s->live->stream = stream;
	publish_ref(ref, &header->gpu_streams, &now.last_stream);
	return true;
}

/* Those for which there is no room are put together. */
static struct stream *other_streams(void)
{
	if (!now.others.live &&
	    !make_stream(&now.others, LIVE_OTHER_STREAMS, LIVE_OTHER_STREAMS,
			 LIVE_OTHER_STREAMS))
		return NULL;
	return &now.others;
}

static struct stream *find_stream(const struct live_piece *p)
{
	uint64_t key = (uint64_t)p->context << 40 ^ (uint64_t)p->device << 32 ^
		       p->stream;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 40);
	struct stream *s;

	for (;; i++) {
		s = &now.streams[i % (2 * STREAMS)];
		if (!s->live)
			break;
		if (is_stream(s->live, p))
			return s;
	}
	if (now.stream_count == STREAMS)
		return other_streams();
	if (!make_stream(s, p->device, p->context, p->stream))
		return NULL;
	now.stream_count++;
	return s;
}

static void add_to_stream(struct stream *s, const struct live_piece *p)
{
	struct live_stream *live = s->live;
	uint64_t fresh = time_beyond(&s->any, p);

	live->busy_ns += fresh;
	if (p->kernel) {
		live->kernels++;
		live->kernels_ns += fresh;
	} else {
		live->copies++;
	}
	if (!live->first_ns || p->start < live->first_ns)
		live->first_ns = p->start;
	live->last_ns = s->any;
}

/* The process */

static void add_gap(const struct live_piece *p)
{
	const struct gpu_gap gap = { .from = now.any,
				     .to = p->start,
				     .begun = p->begun,
				     .node = p->node,
				     .thread = p->thread,
				     .why = p->why };

	if (!now.any || p->start <= now.any)
		return;
	gpu_idle_gap(&gap);
	now.idle_ns += p->start - now.any;
}

static void add_to_process(struct live_gpu_times *times,
			   const struct live_piece *p)
{
	uint64_t fresh;

	gpu_spans_pass(now.any, now.idle_ns, p->start);
	add_gap(p);
	fresh = time_beyond(&now.any, p);
	times->busy_ns += fresh;
	gpu_spans_work(p, fresh);
	if (!times->first_ns || p->start < times->first_ns)
		times->first_ns = p->start;
	times->last_ns = now.any;
}

/* What it worked before all others there ended is not in their union. */
static void count_late(struct live_gpu_times *times, const struct live_piece *p)
{
	uint64_t end = p->end < now.any ? p->end : now.any;

	times->late++;
	if (end > p->start)
		times->late_ns += end - p->start;
}

static void settle_idle(void)
{
	gpu_idle_settled(now.any > KEPT_NS ? now.any - KEPT_NS : 0);
}

static void take_piece(const struct live_piece *p)
{
	struct live_header *header = registry_header();
	struct device *d;
	struct stream *s;

	if (!p) {
		settle_idle();
		gpu_counters_settle(now.start);
		return;
	}
	gpu_counters_work(p);
	d = find_device(p->device);
	s = find_stream(p);
	if (p->start < now.start)
		count_late(&header->gpu_times, p);
	else
		now.start = p->start;
	if (d)
		add_to_device(d, p);
	if (s)
		add_to_stream(s, p);
	add_to_process(&header->gpu_times, p);
	gpu_awaited_work(p, gpu_sums_awaited);
}

void gpu_time_add(const struct live_piece *piece)
{
	if (!now.arena)
		return;
	if (piece->begun && piece->start >= piece->begun)
		gpu_idle_delay(piece->start - piece->begun);
	gpu_order_add(piece, take_piece);
}

static void settle_all(void)
{
	settle_idle();
	gpu_counters_settle(UINT64_MAX);
	for (uint32_t i = 0; i < now.device_count; i++)
		pass_messages(&now.devices[i], UINT64_MAX);
	gpu_spans_pass(now.any, now.idle_ns, UINT64_MAX);
	gpu_awaited_settle(gpu_sums_awaited);
}

void gpu_time_settle(bool all)
{
	if (!now.arena)
		return;
	gpu_order_settle(all, take_piece);
	if (all)
		settle_all();
	gpu_spans_settle();
}

void gpu_time_reset(struct arena *arena)
{
	memset(&now, 0, sizeof(now));
	now.arena = arena;
	gpu_order_reset(arena);
	gpu_spans_reset(arena);
	gpu_idle_reset();
	gpu_awaited_reset();
	gpu_counters_reset(arena);
}
