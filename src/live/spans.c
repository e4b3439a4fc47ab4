/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spans.c - values are counted in buckets, 16 of each power of two, from a
 * microsecond to hours.
 */
#include "live/spans.h"

#include <string.h>

enum {
	UNIT_SHIFT = 10, /* ns, about a microsecond */
	EACH_SHIFT = 4,
	EACH = 1 << EACH_SHIFT,
};

static uint32_t bucket_of_range(uint64_t ns)
{
	uint64_t value = ns >> UNIT_SHIFT;
	uint32_t power, at;

	if (value < EACH)
		return (uint32_t)value;
	power = 63 - (uint32_t)__builtin_clzll(value) - EACH_SHIFT;
	at = (power + 1) * EACH + (uint32_t)(value >> power) % EACH;
	return at < LIVE_RANGE_BUCKETS ? at : LIVE_RANGE_BUCKETS - 1;
}

/* Where a bucket begins. */
static double bucket_begin(uint32_t at)
{
	uint32_t power = at < EACH ? 0 : at / EACH - 1;
	uint64_t value = at < EACH ? at : (uint64_t)(EACH + at % EACH) << power;

	return (double)(value << UNIT_SHIFT);
}

void spans_add(struct live_range *to, const struct live_span *span)
{
	if (to->calls && strcmp(to->longest, span->text))
		to->several = 1;
#define COLUMN(type, name, help, how) LIVE_RANGE_##how(to->name += span->name;)
#include "live/range.def"
#undef COLUMN
	to->time_buckets[bucket_of_range(span->time_ns)]++;
	to->busy_buckets[bucket_of_range(span->busy_ns)]++;
	if (span->time_ns < to->longest_ns)
		return;
	to->longest_ns = span->time_ns;
	to->longest_at_ns = span->begin_ns;
	to->longest_busy_ns = span->busy_ns;
	to->longest_idle_ns = span->idle_ns;
	memcpy(to->longest, span->text, sizeof(to->longest));
}

uint64_t spans_quantile(const uint32_t buckets[LIVE_RANGE_BUCKETS],
			double share)
{
	double all = 0, below = 0;

	for (uint32_t i = 0; i < LIVE_RANGE_BUCKETS; i++)
		all += buckets[i];
	for (uint32_t i = 0; i < LIVE_RANGE_BUCKETS; i++) {
		double begin = bucket_begin(i), in = buckets[i];

		if (in > 0 && below + in >= share * all)
			return (uint64_t)(begin +
					  (bucket_begin(i + 1) - begin) *
						  (share * all - below) / in);
		below += in;
	}
	return 0;
}
