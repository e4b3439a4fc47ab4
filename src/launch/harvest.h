/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harvest.h - raw copies (rank-N-PID-SEQ.live) of the live profiles of one
 * `copse run`, while the program runs, and how it ended.
 */
#ifndef LAUNCH_HARVEST_H
#define LAUNCH_HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/batch.h"
#include "live/layout.h"

struct output;
struct harvest_copy; /* what has been copied of one live profile */

struct harvest {              /* all but the first members: zero */
	const char *live_dir; /* borrowed, as are … */
	const struct output *output;
	const char *key;  /* the job's */
	int rank;         /* the launcher's word */
	const char *node; /* the host, to put profiles into its file; NULL: each
			     is a file of its own */

	pid_t parent; /* the `copse run` */
	struct batch batch;

	/* Of the program itself; recover knows none of it. */
	pid_t child;
	struct live_end end; /* mono_ns 0: not yet */

	size_t profiles, failures; /* written; could not be, still there */
	struct harvest_copy *copies;
	size_t copy_count, copy_room;
};

void harvest_fini(struct harvest *h);

/*
 * A raw copy of every live profile that has changed since the last one.  What
 * cannot be copied is left for the next time, and counted.
 */
size_t harvest_checkpoint(struct harvest *h);

struct live_file;

/* What the raw copy of that live profile is called; NULL: no memory. */
char *harvest_raw_name(const struct live_file *file, int rank);

/* True when no process has left a live profile. */
bool harvest_is_empty(const struct harvest *h);

/* Marks of the ranks that are not measured, for the output. */
void harvest_left_out(const struct harvest *h);

/* A raw copy of what was read.  False: it is not there as it is now. */
struct content;
bool harvest_copy(struct harvest *h, struct content *c);

/*
 * How the program ended: kept, and written into its live profile; what was
 * counted of all processes into that, or into another where it has none.
 * `cpu_ns` is theirs, pauses included.
 */
void harvest_end(struct harvest *h, const struct live_end *end,
		 uint64_t cpu_ns);

#endif
