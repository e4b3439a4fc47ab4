/* SPDX-License-Identifier: BSD-3-Clause */
/* round.h - a double as a count, whatever it is: files are foreign. */
#ifndef BASE_ROUND_H
#define BASE_ROUND_H

#include <stdint.h>

/* Rounded; 0 for what is below or no number, the largest for what is above. */
static inline uint64_t round_to_count(double value)
{
	if (!(value > 0))
		return 0;
	return value < 18446744073709549568.0 ? (uint64_t)(value + 0.5)
					      : UINT64_MAX;
}

#endif
