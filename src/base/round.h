/* SPDX-License-Identifier: BSD-3-Clause */
/* round.h - rounds a double that may come from a foreign file to a count. */
#pragma once

#include <stdint.h>

/* 0 for a negative value and for NaN; UINT64_MAX for what is too large. */
static inline uint64_t round_to_count(double value)
{
	if (!(value > 0))
		return 0;
	return value < 18446744073709549568.0 ? (uint64_t)(value + 0.5)
					      : UINT64_MAX;
}
