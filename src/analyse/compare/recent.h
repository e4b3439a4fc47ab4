/* SPDX-License-Identifier: BSD-3-Clause */
/* recent.h - reports what the ranks of a running job have done just now. */
#pragma once

#include <stddef.h>

#include "analyse/base/report.h"
#include "analyse/compare/recent-summary.h"

/*
 * Of a sorted summary at most `rows` ranks, those that are waited for first,
 * and as many call paths.  0, or -errno with a reason.
 */
int recent_report(struct report **to, const struct recent_summary *s,
		  size_t rows);
