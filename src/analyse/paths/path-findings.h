/* SPDX-License-Identifier: BSD-3-Clause */
/* path-findings.h - call paths on the first screen. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/paths/paths.h"
#include "run/run.h"

/*
 * hot-paths.c: a table of the call paths that hold most of the time, from the
 * caller to the callee, by the program's own functions.
 *
 * What libraries do counts for the function that calls them.  A function that
 * only passes on to one other has no row: "main › … › step".
 */

/* At most `limit` rows.  0, or -ENOMEM with a reason. */
int hot_paths_table(struct report *report, const struct paths *paths,
		    const struct run_metric *metric, size_t limit);

/* unnamed.c: how much is in functions that have no names, and what to do. */

/* As a note, when it is much of the metric; NULL: nothing is said. */
void unnamed_say(struct report *report, const struct run *run,
		 const struct run_metric *metric);

/* As a note, that the program was built without -g, and what that lacks. */
void unnamed_say_lines(struct report *report, const struct run *run,
		       const struct run_metric *metric);
