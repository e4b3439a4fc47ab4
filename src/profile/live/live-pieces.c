/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-pieces.c - what a process that did not end well had not yet put into
 * the times of its devices: work of its last second.  It is added here as there
 * (collect/gpu/gpu-time.c); why devices were idle meanwhile nobody knows any
 * more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"

/* What of a piece is beyond that end, which it moves. */
static uint64_t extend_end(uint64_t *end, const struct live_piece *p)
{
	uint64_t from = p->start > *end ? p->start : *end;

	if (p->end <= from)
		return 0;
	*end = p->end;
	return p->end - from;
}

static void take_earliest_start(uint64_t *first, const struct live_piece *p)
{
	if (!*first || p->start < *first)
		*first = p->start;
}

static struct profile_device *find_live_device(struct reader *r, uint32_t id)
{
	struct profile *p = r->p;

	for (size_t i = 0; i < p->device_count; i++)
		if (p->devices[i].id == id)
			return &p->devices[i];
	if (!reader_grow(r, &p->devices, p->device_count, sizeof(*p->devices)))
		return NULL;
	p->devices[p->device_count] =
		(struct profile_device){ .id = id, .instance = -1 };
	return &p->devices[p->device_count++];
}

static void add_piece_to_device(struct profile_device *d,
				const struct live_piece *p)
{
	d->busy_ns += extend_end(&d->last_ns, p);
	take_earliest_start(&d->first_ns, p);
	if (p->kernel) {
		d->kernels++;
		d->kernels_ns += extend_end(&d->kernels_until_ns, p);
		d->kernels_sum_ns += p->end - p->start;
	} else {
		d->copies++;
		d->copies_ns += extend_end(&d->copies_until_ns, p);
	}
}

static struct profile_stream *find_live_stream(struct reader *r,
					       const struct live_piece *piece)
{
	struct profile *p = r->p;
	struct profile_stream *s = p->streams;

	for (; s < p->streams + p->stream_count; s++)
		if (s->device == piece->device &&
		    s->context == piece->context && s->stream == piece->stream)
			return s;
	if (!reader_grow(r, &p->streams, p->stream_count, sizeof(*p->streams)))
		return NULL;
	s = &p->streams[p->stream_count++];
	*s = (struct profile_stream){ .device = piece->device,
				      .context = piece->context,
				      .stream = piece->stream };
	return s;
}

static void add_piece_to_stream(struct profile_stream *s,
				const struct live_piece *p)
{
	uint64_t fresh = extend_end(&s->last_ns, p);

	s->busy_ns += fresh;
	s->kernels_ns += p->kernel ? fresh : 0;
	s->kernels += p->kernel != 0;
	s->copies += !p->kernel;
	take_earliest_start(&s->first_ns, p);
}

static void add_live_piece(struct reader *r, const struct live_piece *piece)
{
	struct profile_gpu_times *t = &r->p->gpu;
	struct profile_device *d = find_live_device(r, piece->device);
	struct profile_stream *s = find_live_stream(r, piece);

	if (!d || !s)
		return;
	add_piece_to_device(d, piece);
	add_piece_to_stream(s, piece);
	t->busy_ns += extend_end(&t->last_ns, piece);
	take_earliest_start(&t->first_ns, piece);
}

ORDER_BY(by_start, struct live_piece, ASC(start))

static bool is_piece_valid(const struct live_piece *p)
{
	return p->start && p->start <= p->end && p->end <= PROFILE_TIME_MOST;
}

/* Those that make sense, in no order; how many. */
static uint32_t gather_pieces(struct live_piece *to,
			      const struct live_pieces *in)
{
	uint32_t count = 0;

	if (in->moving & 1 || in->count > LIVE_PIECES ||
	    in->aside_count > LIVE_PIECES_ASIDE)
		return 0;
	for (uint32_t i = in->first; i < in->count; i++)
		if (is_piece_valid(&in->at[i]))
			to[count++] = in->at[i];
	for (uint32_t i = 0; i < in->aside_count; i++)
		if (is_piece_valid(&in->aside[i]))
			to[count++] = in->aside[i];
	return count;
}

void reader_pieces(struct reader *r)
{
	struct live_pieces *in;
	struct live_piece *all;
	const void *from;
	uint32_t count;

	if (!r->header.gpu_pieces)
		return;
	from = reader_claim(r, r->header.gpu_pieces, sizeof(*in));
	in = malloc(sizeof(*in));
	all = malloc((LIVE_PIECES + LIVE_PIECES_ASIDE) * sizeof(*all));
	if (!in || !all)
		reader_no_memory(r);
	if (from && in && all) {
		memcpy(in, from, sizeof(*in));
		count = gather_pieces(all, in);
		qsort(all, count, sizeof(*all), by_start);
		for (uint32_t i = 0; i < count && !r->err; i++)
			add_live_piece(r, &all[i]);
	}
	free(in);
	free(all);
}
