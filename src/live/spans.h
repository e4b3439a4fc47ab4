/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spans.h - each time that a range of the program was open, added to what its
 * name has: by the collector when its place is needed, by readers in the end.
 */
#pragma once

#include <stdint.h>

#include "live/layout.h"

void spans_add(struct live_range *to, const struct live_span *span);

/*
 * The value that a share of those in such buckets does not exceed, from 0 to 1:
 * within 3 %.
 */
uint64_t spans_quantile(const uint32_t buckets[LIVE_RANGE_BUCKETS],
			double share);
