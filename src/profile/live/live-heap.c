/* SPDX-License-Identifier: BSD-3-Clause */
/* live-heap.c - what a live profile has of the program's memory, read. */
#include <math.h>
#include <string.h>

#include "profile/live/live-reader.h"

#define SQUARE_KIB 1048576.0
#define MOST       0x1p62
#define SIGMAS     3

enum {
	FEWEST_BINS = 7,
	PIECES = 5,
	BINS_OF_END = 8, /* one of so many, and one: most is freed in the end */
};

/* Foreign: any number, or none. */
static uint64_t whole_estimate(double value)
{
	return value >= 0.5 && value < MOST ? (uint64_t)(value + 0.5) : 0;
}

static double mean_of(const double *at, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += at[i];
	return sum / (double)count;
}

/* Of the least squares line through the values. */
static double slope_of(const double *at, size_t count)
{
	double middle = (double)(count - 1) / 2, mean = mean_of(at, count);
	double both = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		double x = (double)i - middle;

		both += x * (at[i] - mean);
		squares += x * x;
	}
	return both / squares;
}

/* In each of five pieces it is higher than before by a quarter of the mean. */
static bool is_steady(const double *at, size_t count)
{
	size_t piece = count / PIECES;
	const double *first = at + count - PIECES * piece;
	double mean = (mean_of(first + (PIECES - 1) * piece, piece) -
		       mean_of(first, piece)) /
		      (PIECES - 1);
	bool steady = true;

	for (size_t i = 1; i < PIECES; i++)
		steady &= mean_of(first + i * piece, piece) -
				  mean_of(first + (i - 1) * piece, piece) >=
			  mean / 4;
	return steady;
}

double reader_growth(const double *at, size_t count)
{
	size_t from = count / 4;
	double slope;

	if (count < FEWEST_BINS)
		return 0;
	slope = slope_of(at + from, count - from);
	return slope > 0 && is_steady(at + from, count - from) ? slope : 0;
}

/* Bytes in the process's time, 0: not steady, or no more than chance. */
static double growth_of_sum(const struct reader *r,
			    const struct live_heap_sum *s)
{
	const struct live_heap *h = &r->header.heap;
	uint64_t end = r->header.end.mono_ns, start = r->header.start_mono_ns;
	double at[LIVE_HEAP_BINS], slope, error;
	uint64_t bin = s->bin, count;

	if (!h->width_ns || end <= h->first_ns || end <= start ||
	    s->widened > h->widened)
		return 0;
	count = (end - h->first_ns) / h->width_ns;
	if (count > LIVE_HEAP_BINS)
		count = LIVE_HEAP_BINS;
	count -= count ? count / BINS_OF_END + 1 : 0;
	memcpy(at, s->bins, sizeof(at));
	for (uint32_t w = s->widened; w < h->widened && bin; w++) {
		bin /= 2;
		for (uint64_t i = 0; i < bin; i++)
			at[i] = at[2 * i + 1];
	}
	for (; bin < count; bin++)
		at[bin] = s->live.bytes;
	slope = reader_growth(at, count);
	error = fmax(s->live.bytes_error, s->at_peak.bytes_error);
	if (slope * (double)count < SIGMAS * sqrt(fmax(error, 0)))
		return 0;
	return slope * (double)(end - start) / (double)h->width_ns;
}

static void heap_values(struct reader *r, uint32_t node,
			const struct live_heap_sum *s)
{
	const struct live_heap_amount *peak =
		s->changed <= r->header.heap.peak_seq ? &s->live : &s->at_peak;
	const struct {
		enum metric metric;
		double value;
	} values[] = {
		{ METRIC_HEAP_SAMPLES, (double)s->samples },
		{ METRIC_HEAP_ALLOCATIONS, s->all.blocks },
		{ METRIC_HEAP_ALLOCATED, s->all.bytes },
		{ METRIC_HEAP_AT_PEAK, peak->bytes },
		{ METRIC_HEAP_LEAKS, s->live.blocks },
		{ METRIC_HEAP_LEAKED, s->live.bytes },
		{ METRIC_HEAP_YOUNG, s->young.blocks },
		{ METRIC_HEAP_YOUNG_BYTES, s->young.bytes },
		{ METRIC_HEAP_GROWTH, growth_of_sum(r, s) },
		{ METRIC_HEAP_ALLOCATIONS_ERROR, s->all.blocks_error },
		{ METRIC_HEAP_ALLOCATED_ERROR,
		  s->all.bytes_error / SQUARE_KIB },
		{ METRIC_HEAP_AT_PEAK_ERROR, peak->bytes_error / SQUARE_KIB },
		{ METRIC_HEAP_LEAKED_ERROR, s->live.bytes_error / SQUARE_KIB },
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		reader_metric(r, node, s->thread, values[i].metric,
			      whole_estimate(values[i].value));
}

static void take_heap_sum(struct reader *r, uint32_t unused, const void *at)
{
	struct live_heap_sum s;
	uint32_t node;

	(void)unused;
	memcpy(&s, at, sizeof(s));
	if (s.bin > LIVE_HEAP_BINS || s.thread >= r->p->thread_count ||
	    !s.node) {
		r->damaged++;
		return;
	}
	node = reader_node(r, s.node);
	if (!r->err)
		heap_values(r, node, &s);
}

static void read_heap(struct reader *r)
{
	reader_chunks(r, r->header.heap.sums, sizeof(struct live_heap_sum), 0,
		      take_heap_sum);
}

const struct live_section section_heap = { .tables = read_heap };
