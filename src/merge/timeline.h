/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timeline.h - how long of each stretch of time a device worked, for one
 * process after another: what of it can be told of all together.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct timeline {       /* all zero: empty */
	uint64_t first; /* bin b begins at (first + b) << shift */
	uint32_t shift, count;
	float *likely;       /* ns of work in each bin */
	float *least, *most; /* NULL: as likely, of one process */
};

/*
 * One more process, whose bins are these (by bin, of one device).  0, or
 * -ENOMEM with a reason.
 */
int timeline_add(struct timeline *to, uint64_t first, uint32_t shift,
		 const struct profile_bin *bins, size_t count);
void timeline_fini(struct timeline *line);

struct timeline_sums {
	double likely, least, most;
};
struct timeline_sums timeline_sums(const struct timeline *line);
