/* SPDX-License-Identifier: BSD-3-Clause */
/* recent.h - what the ranks of a running job have done in the last seconds. */
#pragma once

#include <stddef.h>

#include "analyse/base/report.h"
#include "run/run.h"

/*
 * Of one run, as it was before and as it is so many seconds later: at most
 * `rows` ranks, those that are waited for first, and as many call paths.  0, or
 * -errno with a reason.
 */
int recent_report(struct report **to, const struct run *before,
		  const struct run *now, double seconds, size_t rows);
