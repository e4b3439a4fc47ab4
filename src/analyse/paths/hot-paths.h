/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hot-paths.h - a table of the call paths that hold most of the time, from the
 * caller to the callee, by the program's own functions.
 *
 * What libraries do counts for the function that calls them.  A function that
 * only passes on to one other has no row: "main › … › step".
 */
#pragma once

#include "analyse/paths/paths.h"

/* At most `limit` rows.  0, or -ENOMEM with a reason. */
int hot_paths_table(struct report *report, const struct paths *paths,
		    const struct run_metric *metric, size_t limit);
