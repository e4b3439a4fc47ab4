/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.c - bins of several processes laid over one another. */
#include "merge/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "run/run-tables.h"

void timeline_fini(struct timeline *line)
{
	free(line->likely);
	free(line->least);
	free(line->most);
	*line = (struct timeline){ 0 };
}

/* Where the bins of `from` are, in an array for `to`'s; NULL: no memory. */
static float *lay_bins(const struct timeline *to, const struct timeline *from,
		       const float *bins)
{
	float *at = calloc((size_t)to->count + 1, sizeof(*at));

	for (uint32_t i = 0; at && i < from->count; i++) {
		uint64_t bin = (from->first + i) >> (to->shift - from->shift);

		at[bin - to->first] += bins[i];
	}
	return at;
}

/* Both in bins of the same width, RUN_GPU_BINS of them at most. */
static struct timeline common_timeline(const struct timeline *a,
				       const struct timeline *b)
{
	struct timeline to = { .shift = a->shift > b->shift ? a->shift
							    : b->shift };
	uint64_t end;

	for (;; to.shift++) {
		uint64_t a_first = a->first >> (to.shift - a->shift);
		uint64_t b_first = b->first >> (to.shift - b->shift);
		uint64_t a_end =
			((a->first + a->count - 1) >> (to.shift - a->shift)) +
			1;
		uint64_t b_end =
			((b->first + b->count - 1) >> (to.shift - b->shift)) +
			1;

		to.first = a_first < b_first ? a_first : b_first;
		end = a_end > b_end ? a_end : b_end;
		if (end - to.first <= RUN_GPU_BINS || to.shift == 63)
			break;
	}
	to.count = (uint32_t)(end - to.first);
	return to;
}

static int lay_all(struct timeline *to, const struct timeline *from)
{
	to->likely = lay_bins(to, from, from->likely);
	to->least =
		lay_bins(to, from, from->least ? from->least : from->likely);
	to->most = lay_bins(to, from, from->most ? from->most : from->likely);
	return to->likely && to->least && to->most ? 0 : -ENOMEM;
}

static void combine_bins(struct timeline *to, const float *bins)
{
	double width = ldexp(1, (int)to->shift);

	for (uint32_t i = 0; i < to->count; i++) {
		double a = to->likely[i], b = bins[i];

		to->likely[i] = (float)(a + b - a * b / width);
		to->least[i] = fmaxf(to->least[i], bins[i]);
		to->most[i] = (float)fmin(to->most[i] + b, width);
	}
}

static int join_timeline(struct timeline *to, const struct timeline *one)
{
	struct timeline both = common_timeline(to, one);
	float *bins = lay_bins(&both, one, one->likely);
	int err = bins ? lay_all(&both, to) : -ENOMEM;

	if (!err) {
		combine_bins(&both, bins);
		timeline_fini(to);
		*to = both;
	} else {
		timeline_fini(&both);
	}
	free(bins);
	return err;
}

int timeline_add(struct timeline *to, uint64_t first, uint32_t shift,
		 const struct profile_bin *bins, size_t count)
{
	struct timeline one = { .shift = shift };
	int err = 0;

	if (!count)
		return 0;
	one.first = first + bins[0].bin;
	one.count = bins[count - 1].bin - bins[0].bin + 1;
	one.likely = calloc(one.count, sizeof(*one.likely));
	if (!one.likely)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		one.likely[bins[i].bin - bins[0].bin] = (float)bins[i].ns;
	if (to->count) {
		err = join_timeline(to, &one);
		timeline_fini(&one);
	} else {
		*to = one;
	}
	return err ? no_memory() : 0;
}

struct timeline_sums timeline_sums(const struct timeline *line)
{
	struct timeline_sums sums = { 0 };

	for (uint32_t i = 0; i < line->count; i++) {
		sums.likely += (double)line->likely[i];
		sums.least +=
			(double)(line->least ? line->least : line->likely)[i];
		sums.most +=
			(double)(line->most ? line->most : line->likely)[i];
	}
	return sums;
}
