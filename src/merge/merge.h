/* SPDX-License-Identifier: BSD-3-Clause */
/* merge.h - rank files become a run. */
#pragma once

#include "run/run.h"

/* What it tells while it works; either may be NULL. */
struct merge_progress {
	void (*step)(void *to, const char *what, size_t done, size_t of);
	void *to;
	unsigned int threads; /* to work with; 0: one for each core */
};

/*
 * The run that the rank files of a directory make.  Files that cannot be read
 * are skipped and stand in run->problems, as do ranks that are missing.
 * 0; -ENOENT when the directory holds no readable profile; else -errno.
 */
int merge_directory(struct run **to, const char *directory);

/* The same of a part of a run's ranks: that others are missing is known. */
int merge_part(struct run **to, const char *directory);

/*
 * The same, and its file.  The run's values are only in the file: those of
 * large jobs are more than there is memory.  *to is NULL when nothing could be
 * merged; what could not be written is here, with its problems.
 */
int merge_save(struct run **to, const char *directory, const char *path,
	       const struct merge_progress *progress);

/*
 * The run of `path`: a run.h5 itself; a directory, whose run.h5 is made first
 * when it is missing or older than a rank's file; or what one file of a
 * directory has, rank-N.h5 or node-HOST.h5.  `progress` may be NULL.
 */
int merge_open(struct run **to, const char *path,
	       const struct merge_progress *progress);
