/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parent.h - run the measured program as a child: pass on signals, keep
 * copies of its live profiles, wait for its end.
 *
 * The program stays in this process's group and is killed when this process
 * is killed.  Process-wide state (signal mask, SIGCHLD) is changed and, for
 * the child and after parent_end(), restored.
 */
#ifndef LAUNCH_PARENT_H
#define LAUNCH_PARENT_H

#include <signal.h>
#include <stdint.h>

#include "launch/harvest.h"
#include "launch/signal-origin.h"

struct parent { /* all zero at first */
	sigset_t old_mask;
	struct sigaction old_child; /* what was done about SIGCHLD */
	struct signal_origin origin;
	uint64_t start_ns, checkpoint_ns, next_ns, last_ns;
	uint64_t told_ns; /* SIGTERM came to the group, the launcher's; or 0 */
	uint64_t warned_ns; /* SIGTERM came last; or 0 */
	unsigned int asked; /* how often, why the job ends */
};

/* From here on signals wait until parent_run() takes them. */
void parent_begin(struct parent *p);

/*
 * Run argv and wait for it, with a checkpoint every so many seconds (0: none
 * but at signals).  0 and how it ended in `h`; -errno with a reason when it
 * could not be executed.
 */
int parent_run(struct parent *p, char **argv, struct harvest *h,
	       unsigned int checkpoint);

/*
 * Signals that are still waiting are dropped: they were the program's.
 * SIGTERM stays blocked: when one rank has ended, mpirun sends it to parents
 * that only have to say what they found.
 */
void parent_end(struct parent *p);

#endif
