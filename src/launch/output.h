/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - the directory that all ranks of one job write to.  They agree on
 * it without messages, by these files in it:
 *
 *   .job        the job's key, put there by link(): the first rank wins, and
 * the others find their own key.  A directory of another job or user is left
 * alone, and the next name of numbered.h is tried. .rank-N     rank N has
 * begun.  A second `copse run` of that rank gets a directory of its own.
 *   .force      the rank that has it, with a lock, replaces an older job.
 *   .done-N     rank N is done.
 *   .finished   made by the rank that finds all marks: exactly one is the last.
 *
 * output_release() removes the marks; the other ranks can wait for that.  Large
 * jobs have one file of marks for each host (host-marks.h).
 *
 * The directory is opened once, and all files are reached through its
 * descriptor: somebody else may put another directory, or a link, in its place.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/job.h"

struct output {
	char path[PATH_MAX]; /* for messages and for readers of profiles */
	int fd;              /* of the directory */
	char host[64];
	int rank, size;
	bool by_host; /* marks are one file for each host */
	bool first;   /* this rank was the first of the job */
};

/*
 * Find or make the directory for this job, with that name or the next numbered
 * one that is free (numbered.h).  With `force`, one rank removes the profiles
 * of an older job while the others wait.  -errno with a reason.
 */
int output_open(struct output *o, const char *wanted, const struct job *job,
		bool force);

/* The same with marks by host; all ranks of the job must call this one. */
int output_open_by_host(struct output *o, const char *wanted,
			const struct job *job, bool force);

/* Its `fd` may be -1. */
void output_close(struct output *o);

/*
 * If somebody moved the directory while the program ran, take its new path; if
 * somebody removed it, make it again.
 */
void output_restore(struct output *o, const struct job *job);

/*
 * Open the directory of a job that ran before, to add to it; the next free name
 * if another job has it now.  -errno with a reason.
 */
int output_find(struct output *o, const char *wanted, const struct job *job);

/*
 * Mark this rank as done.  True for the last rank of the job, which then does
 * the work of the whole job and calls output_release().
 */
bool output_done(const struct output *o);
void output_release(const struct output *o);

/* Wait for output_release(), at most until that CLOCK_MONOTONIC time. */
void output_wait(const struct output *o, uint64_t until_ns);

/*
 * Leave the mark `.left-out-N`: the user excluded rank N.  It stays, so that
 * reports do not miss the rank's profile.
 */
void output_left_out(const struct output *o, int rank);

/* True when it holds a profile. */
bool output_has_profile(const struct output *o);

/* Release, and remove the directory if nothing but marks is in it. */
void output_discard(const struct output *o);
