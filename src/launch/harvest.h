/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * harvest.h - from the live profiles of one `copse run` to files: raw copies
 * (rank-N-PID-SEQ.live) while the program runs, rank-N.h5 when it has ended.
 *
 * One process image per rank is the main one and gets the short name: the one
 * that called MPI_Init or, when none did, the program itself.  The others are
 * rank-N-PID.h5.  With `node` they go to node-HOST.h5 under these names; what
 * cannot be added there becomes a file.
 */
#ifndef LAUNCH_HARVEST_H
#define LAUNCH_HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/batch.h"
#include "base/cores.h"

struct harvest_copy; /* what has been copied of one live profile */

struct harvest {                       /* all but the first members: zero */
	const char *live_dir, *output; /* borrowed */
	const char *key;               /* the job's */
	const struct batch *batch;     /* the same */
	int rank;                      /* the launcher's word */
	const char *node; /* the host, to put profiles into its file; NULL: each
			     is a file of its own */

	pid_t parent; /* the `copse run` */

	/* Of the program itself; recover knows none of it. */
	pid_t child;
	bool ended;
	int end_signal, end_status; /* signal 0: exit with the status */
	uint64_t end_ns, cpu_ns;
	struct cores cores;

	size_t profiles, failures; /* written; could not be, still there */
	struct harvest_copy *copies;
	size_t copy_count;
};

void harvest_fini(struct harvest *h);

/*
 * A raw copy of every live profile that has changed since the last one.  What
 * cannot be copied is left for the next time.
 */
void harvest_checkpoint(struct harvest *h);

/*
 * Write the profiles, remove the raw copies and the live files of those that
 * are safe.  What recover finds still written to is left where it is when
 * `spare_running`.  0, or the first failure with a reason.
 */
int harvest_finish(struct harvest *h, bool spare_running);

#endif
