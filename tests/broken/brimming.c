/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * brimming.c - a collector whose traces are soon full, and so are thinned again
 * and again: 2048 samples whatever --trace says (tests/run/traces.sh).
 */
#include "live/moments.h"

enum {
	SAMPLES = 2048
};

__typeof__(moments_add) __wrap_moments_add, __real_moments_add;

void __wrap_moments_add(struct moments *list, struct arena *arena,
			struct live_thread *live, uint32_t most,
			enum moments_keep keep, const void *moment,
			uint32_t size)
{
	__real_moments_add(list, arena, live, most < SAMPLES ? most : SAMPLES,
			   keep, moment, size);
}
