/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parent.h - runs the measured program as a child: passes signals on, keeps
 * copies of its live profiles, waits for its end.
 *
 * The program stays in this process's group, and dies when this process is
 * killed.  This changes the signal mask and SIGCHLD of the process; the child
 * has the old state, and parent_end() restores it.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "launch/alarm.h"
#include "launch/harvest.h"
#include "launch/inquiry.h"
#include "launch/core-wait.h"
#include "launch/memory-watch.h"
#include "launch/signal-origin.h"

struct parent { /* all zero at first */
	sigset_t old_mask;
	struct sigaction old_child; /* of SIGCHLD */
	struct signal_origin origin;
	uint64_t start_ns, checkpoint_ns, next_ns, last_ns;
	struct memory_watch memory;
	struct core_wait core_wait;
	struct family io;   /* what children had read and written before */
	uint64_t tick_ns;   /* of the next tick */
	uint64_t ending_ns; /* since when we end a job that hangs; or 0 */
	uint64_t told_ns; /* when SIGTERM came to the launcher's group; or 0 */
	uint64_t warned_ns; /* when SIGTERM last came; or 0 */
	unsigned int asked; /* how often we asked why the job ends */
	bool tried;         /* there was a child, to execute the program */
	/* Set after parent_begin(). */
	struct inquiry_watch inquiry;
	struct alarm_watch alarm;
};

/* Block signals: they wait until parent_run() takes them. */
void parent_begin(struct parent *p);

/*
 * Run argv and wait for its end.  Make a checkpoint every `checkpoint` seconds
 * (0: only at signals).  0, with the end in `h`; -errno with a reason when argv
 * could not be executed, or, if !p->tried, there could be no child to do it.
 */
int parent_run(struct parent *p, char **argv, struct harvest *h,
	       unsigned int checkpoint);

/* In place of parent_end(), before this process executes the program itself. */
void parent_give_up(const struct parent *p);

/*
 * Drop waiting signals: they were for the program.  SIGTERM stays blocked: when
 * one rank has ended, mpirun sends it to parents that still have to report.
 */
void parent_end(struct parent *p);
