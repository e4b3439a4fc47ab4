/* SPDX-License-Identifier: BSD-3-Clause */
/* merging.h - a merge so far. */
#pragma once

#include <stdbool.h>

#include "merge/gatherers.h"
#include "merge/inputs.h"
#include "merge/merge.h"
#include "merge/unify.h"
#include "profile/profile.h"

struct merged_job {
	uint32_t key; /* string of the run */
	size_t files;
	uint64_t newest;
};

struct merging {
	const char *directory;
	struct inputs inputs;
	const struct merge_progress *progress;
	struct run *run;
	struct unify *unify;
	struct gatherers gatherers;
	struct merged_job *jobs;
	size_t job_count;
};

/*
 * main-name.c: call the function that starts a stripped program by its name.
 * 0, or -ENOMEM with a reason.
 */
int merge_name_main(struct run *run);

/*
 * Whether the database beside rank files still is what a merge would
 * make of them, and when it is better than that.
 */

/*
 * No file of the directory is younger.  One of the same age is none: what
 * copies files may keep no more of their times than seconds.
 */
bool fresh_is(const char *database, const char *directory);

/*
 * Where the programs of a run are not (a profile was copied), a merge has fewer
 * names than the database that it would replace.  *kept: so it is, *to is freed
 * and becomes that database, with a problem that says so.  0, or -ENOMEM with a
 * reason.
 */
int fresh_keep(struct run **to, const char *database, bool *kept);

/*
 * Samples of kernels, by instruction, become values of a
 * profile's tree: of children of the kernels, which are lines.
 *
 * A sample has no launch.  Those of a line are shared out among the call paths
 * that launched its kernel as the GPU's time is: with one path that is what was
 * sampled, with several an estimate.  Kernels of which no launch is known of
 * its own (in graphs) stand below the root.
 */

/*
 * 0, or -ENOMEM with a reason.  What cannot be read has no lines, and *note,
 * to be freed, says why; NULL: all is well.
 */
int gpu_lines_put(struct profile *p, char **note);
