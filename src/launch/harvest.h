/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harvest.h - what one `copse run` collects from its live profiles: raw copies
 * (rank-N-PID-SEQ.live) while the program runs, and how the program ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/batch.h"
#include "live/layout.h"

struct output;
struct harvest_copy; /* what has been copied of one live profile */

struct harvest {
	/* To be set first; the pointers stay the caller's. */
	const char *live_dir;
	const struct output *output;
	const char *key;  /* the job's */
	int rank;         /* as the launcher says */
	const char *node; /* the host whose node file gets the profiles; NULL:
			     each profile becomes a file of its own */

	pid_t parent; /* the `copse run` */
	struct batch batch;

	/* The program itself; `copse recover` does not know these. */
	pid_t child;
	int file;            /* its program's, open, which may be removed; -1 */
	struct live_end end; /* mono_ns 0: it has not ended */
	bool stuck;          /* it was ended, since the job hung */

	size_t profiles; /* written */
	size_t failures; /* not written; their live files are still there */
	struct harvest_copy *copies;
	size_t copy_count, copy_room;
};

void harvest_fini(struct harvest *h);

/*
 * Make a raw copy of every live profile that has changed since its last copy.
 * Returns how many could not be copied; the next call tries them again.
 */
size_t harvest_checkpoint(struct harvest *h);

struct live_file;

/* The name of the raw copy of that live profile; NULL: out of memory. */
char *harvest_raw_name(const struct live_file *file, int rank);

/*
 * Write into the header of a live profile.  Where it is none yet, there is
 * nothing to add to.
 */
void harvest_write_header(const char *folder, const struct live_file *file,
			  const void *what, size_t size, size_t offset);

/* True when no process has left a live profile. */
bool harvest_is_empty(const struct harvest *h);

/* Leave a mark in the output for each rank that is not measured. */
void harvest_left_out(const struct harvest *h);

/* Make a raw copy of what was read; false: there is no current copy. */
struct content;
bool harvest_copy(struct harvest *h, struct content *c);

/*
 * Keep how the program ended, and write it into its live profile.  The counts
 * of all processes go there, too, or into another live profile if the program
 * has none.  `used`: what process_usage() has of all processes.
 */
void harvest_end(struct harvest *h, const struct live_end *end,
		 const struct family *used);

/*
 * finish.c: from the live profiles of one `copse run` to rank-N.h5, when the
 * program has ended.  Of src/launch only this and node-output.h need HDF5; the
 * parent beside the program has none of it.
 *
 * One process image per rank is the main one and gets the short name: the one
 * that called MPI_Init or, when none did, the program itself.  The others are
 * rank-N-PID.h5.  With `node` they go to node-HOST.h5 under these names; what
 * cannot be added there becomes a file.
 */

/*
 * Write the profiles, remove the raw copies and the live files of those that
 * are safe.  A profile that is still written to stays where it is, and has a
 * raw copy as of now.  0, or the first failure with a reason.
 */
int finish_harvest(struct harvest *h);
