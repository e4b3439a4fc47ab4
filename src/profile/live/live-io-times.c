/* SPDX-License-Identifier: BSD-3-Clause */
/* live-io-times.c - the bytes of all threads over time, in the widest bins. */
#include <string.h>

#include "profile/live/live-reader.h"

enum {
	MOST_WIDENED = 32 /* two years */
};

static uint64_t io_bin_width(uint32_t widened)
{
	return (uint64_t)1 << (LIVE_IO_SHIFT + widened);
}

/* All bins, at first of the least width. */
static bool have_io_bins(struct reader *r)
{
	struct profile *p = r->p;

	while (p->io_bin_count < LIVE_IO_BINS &&
	       reader_grow(r, &p->io_bins, p->io_bin_count,
			   sizeof(*p->io_bins)))
		p->io_bins[p->io_bin_count++] = (struct profile_io_bin){
			.width_ns = io_bin_width(0),
		};
	return !r->err;
}

static void join_io_rows(struct profile *p)
{
	for (size_t i = 0; i < p->io_bin_count; i++) {
		struct profile_io_bin bin = {
			.width_ns = 2 * p->io_bins[i].width_ns
		};

		for (size_t k = 2 * i; k < 2 * i + 2 && k < p->io_bin_count;
		     k++) {
			bin.read += p->io_bins[k].read;
			bin.written += p->io_bins[k].written;
		}
		p->io_bins[i] = bin;
	}
}

static live_ref take_io_times(struct reader *r, const void *at)
{
	struct live_io_times t;
	struct profile *p = r->p;
	uint64_t width;

	memcpy(&t, at, sizeof(t));
	if (t.widened > MOST_WIDENED) {
		r->damaged++;
		return t.next;
	}
	if (t.moving & 1 || !have_io_bins(r))
		return t.next;
	width = io_bin_width(t.widened);
	while (p->io_bins->width_ns < width)
		join_io_rows(p);
	for (size_t i = 0; i < LIVE_IO_BINS; i++) {
		size_t to = i * width / p->io_bins->width_ns;

		p->io_bins[to].read += t.read[i];
		p->io_bins[to].written += t.written[i];
	}
	return t.next;
}

static void read_io_times(struct reader *r)
{
	struct profile *p = r->p;
	size_t kept = 0;

	reader_walk(r, r->header.io_times, sizeof(struct live_io_times),
		    take_io_times);
	for (size_t i = 0; i < p->io_bin_count; i++) {
		struct profile_io_bin bin = p->io_bins[i];

		bin.ns = i * bin.width_ns;
		if (bin.read || bin.written)
			p->io_bins[kept++] = bin;
	}
	p->io_bin_count = kept;
}

const struct live_section section_io_times = { .tables = read_io_times };
