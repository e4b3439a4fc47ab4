/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-gpu-tables.c - what a live profile has of GPUs' memory, of the shapes of
 * kernels and of unified memory, read.
 */
#include <string.h>

#include "profile/live/live-reader.h"

/* What one context allocated and freed. */
static void memory_values(struct reader *r, uint32_t node, uint32_t thread,
			  const struct live_memory *m, uint64_t at_peak)
{
	/* What was freed when nothing was known any more is not left. */
	const bool leaks =
		m->kind != LIVE_MEMORY_STATIC && !r->header.gpu_times.until_ns;

	reader_metric(r, node, thread, METRIC_GPU_ALLOCATIONS, m->allocations);
	reader_metric(r, node, thread, METRIC_GPU_ALLOCATED, m->allocated);
	reader_metric(r, node, thread, METRIC_GPU_FREES, m->frees);
	reader_metric(r, node, thread, METRIC_GPU_FREED, m->freed);
	reader_metric(r, node, thread, METRIC_GPU_AT_PEAK, at_peak);
	reader_metric(r, node, thread, METRIC_GPU_LEAKS, leaks ? m->live : 0);
	reader_metric(r, node, thread, METRIC_GPU_LEAKED, leaks ? m->bytes : 0);
	reader_metric(r, node, thread, METRIC_GPU_RESET, m->reset);
}

/* What had not changed since the peak was so at the peak. */
static uint64_t bytes_at_peak(const struct reader *r,
			      const struct live_memory *m)
{
	for (size_t i = 0; i < r->p->holder_count; i++)
		if (r->p->holders[i].device == m->device)
			return m->changed <= r->p->holders[i].peak_seq
				       ? m->bytes
				       : m->at_peak;
	return 0;
}

static void take_memory(struct reader *r, uint32_t unused, const void *at)
{
	struct live_memory m;
	uint32_t node;

	(void)unused;
	memcpy(&m, at, sizeof(m));
	if (m.kind >= LIVE_MEMORY_KINDS || !r->p->thread_count) {
		r->damaged++;
		return;
	}
	if (m.thread >= r->p->thread_count)
		m.thread = 0;
	node = m.node ? reader_node(r, m.node) : reader_partial(r, m.why);
	node = reader_named(r, node, m.name);
	if (!r->err)
		memory_values(r, node, m.thread, &m, bytes_at_peak(r, &m));
}

static void take_holder_bins(struct reader *r, const struct live_holder *h)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i <= h->last && i < LIVE_MEMORY_BINS; i++)
		if (reader_grow(r, &p->memory_bins, p->memory_bin_count,
				sizeof(*p->memory_bins)))
			p->memory_bins[p->memory_bin_count++] =
				(struct profile_memory_bin){
					(uint32_t)p->holder_count - 1, i,
					h->bins[i]
				};
}

static void take_memory_kinds(struct reader *r, const struct live_holder *h)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i < LIVE_MEMORY_KINDS; i++)
		if (h->kinds[i].peak &&
		    reader_grow(r, &p->held, p->held_count, sizeof(*p->held)))
			p->held[p->held_count++] = (struct profile_held){
				(uint32_t)p->holder_count - 1, i,
				h->kinds[i].live, h->kinds[i].peak
			};
}

static void take_holder(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct live_holder h;

	(void)unused;
	memcpy(&h, at, sizeof(h));
	if (h.first_ns > PROFILE_TIME_MOST || h.width_ns > PROFILE_TIME_MOST ||
	    h.peak_ns > PROFILE_TIME_MOST) {
		r->damaged++;
		return;
	}
	if (!reader_grow(r, &p->holders, p->holder_count, sizeof(*p->holders)))
		return;
	p->holders[p->holder_count++] = (struct profile_holder){
		.device = h.device,
		.live = h.live,
		.peak = h.peak,
		.peak_ns = h.peak_ns,
		.peak_seq = h.peak_seq,
		.first_ns = h.first_ns,
		.width_ns = h.width_ns,
	};
	if (h.width_ns && h.moving % 2 == 0)
		take_holder_bins(r, &h);
	take_memory_kinds(r, &h);
}

static void take_unified(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct live_unified u;

	(void)unused;
	memcpy(&u, at, sizeof(u));
	if (u.kind >= LIVE_UNIFIED_KINDS)
		r->damaged++;
	else if (reader_grow(r, &p->unified, p->unified_count,
			     sizeof(*p->unified)))
		p->unified[p->unified_count++] = (struct profile_unified){
			.kind = u.kind,
			.device = u.device,
#define COLUMN(type, name, ...) .name = u.name,
#include "live/unified.def"
#undef COLUMN
		};
}

static void take_shape(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct live_shape s;

	(void)unused;
	memcpy(&s, at, sizeof(s));
	if (s.name >= p->name_count || s.least_blocks > s.most_blocks)
		r->damaged++;
	else if (reader_grow(r, &p->shapes, p->shape_count, sizeof(*p->shapes)))
		p->shapes[p->shape_count++] = (struct profile_shape){
			.name = s.name,
			.device = s.device,
#define COLUMN(type, name, ...) .name = s.name,
#include "live/shape.def"
#undef COLUMN
		};
}

static void take_limits(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct live_limits l;

	(void)unused;
	memcpy(&l, at, sizeof(l));
	if (reader_grow(r, &p->limits, p->limit_count, sizeof(*p->limits)))
		p->limits[p->limit_count++] = (struct profile_limits){
			.device = l.device,
#define COLUMN(type, name, ...) .name = l.name,
#include "live/limits.def"
#undef COLUMN
		};
}

static void read_gpu_tables(struct reader *r)
{
	const struct live_gpu_lists *lists = &r->header.gpu_lists;

	reader_chunks(r, lists->holders, sizeof(struct live_holder), 0,
		      take_holder);
	reader_chunks(r, lists->memory, sizeof(struct live_memory), 0,
		      take_memory);
	reader_chunks(r, lists->unified, sizeof(struct live_unified), 0,
		      take_unified);
	reader_chunks(r, lists->shapes, sizeof(struct live_shape), 0,
		      take_shape);
	reader_chunks(r, lists->limits, sizeof(struct live_limits), 0,
		      take_limits);
}

const struct live_section section_gpu_tables = { .tables = read_gpu_tables };
