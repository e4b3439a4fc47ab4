/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - the directory that all ranks of one job write to, agreed upon
 * without a word between them.
 *
 * The directory holds its job's key in the file `.job`, put there by link():
 * the first rank wins, the others find their own key.  A directory of another
 * job, or of another user, is left alone and the next name of numbered.h tried.
 * Each rank claims its number
 * (`.rank-N`), so the second `copse run` of one rank gets a directory of its
 * own, and marks when it is done (`.done-N`).  Who finds all marks and creates
 * `.finished` is the last: exactly one.  Claims and marks go with
 * output_release(), which the others can wait for.  In large jobs these marks
 * are one file for each host (host-marks.h), not two for each rank.
 *
 * The directory is opened once, and files are made, found and removed below
 * what is open: whoever may write to the folder that it is in can put another
 * one, or a link, in its place.
 */
#ifndef LAUNCH_OUTPUT_H
#define LAUNCH_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/job.h"

struct output {
	char path[PATH_MAX]; /* for people, and for what reads profiles */
	int fd;              /* of it */
	char host[64];
	int rank, size;
	bool by_host; /* marks */
	bool first;   /* of the job: this rank has put the key there */
};

/*
 * Find or make the directory for this job, of that name (numbered.h) or the
 * next of its numbered ones that is free.  With `force` an older job's
 * profiles in it are removed, by one rank while the others wait.  -errno with
 * a reason.
 */
int output_open(struct output *o, const char *wanted, const struct job *job,
		bool force);

/* The same with marks by host, which all ranks of the job have to want. */
int output_open_by_host(struct output *o, const char *wanted,
			const struct job *job, bool force);

/* Its `fd` may be -1. */
void output_close(struct output *o);

/*
 * Where somebody has moved it while the program ran, its path is the new one;
 * where it was removed it is made again.
 */
void output_restore(struct output *o, const struct job *job);

/*
 * The directory of a job that ran before, to add to it; the next free name
 * when another job's is there now.  -errno with a reason.
 */
int output_find(struct output *o, const char *wanted, const struct job *job);

/*
 * Leave this rank's mark; true for the last rank of the job, which then says
 * output_release() when it has done what only one does.
 */
bool output_done(const struct output *o);
void output_release(const struct output *o);

/* Wait for output_release(), until that time of CLOCK_MONOTONIC. */
void output_wait(const struct output *o, uint64_t until_ns);

/*
 * Leave the mark `.left-out-N`: rank N was not to be measured.  It stays, so
 * that reports do not look for the rank's profile.
 */
void output_left_out(const struct output *o, int rank);

/* True when it holds a profile. */
bool output_has_profile(const struct output *o);

/* Release, and remove the directory if nothing but marks is in it. */
void output_discard(const struct output *o);

#endif
