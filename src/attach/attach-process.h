/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attach-process.h - one process that is measured from outside: its threads,
 * the samples of what they execute, and looks at those that wait.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/attach-python.h"
#include "attach/attach-record.h"
#include "attach/foreign.h"
#include "attach/perf-ring.h"
#include "live/moments.h"

struct unwinder;

struct attach_thread {
	struct attach_process *process;
	pid_t tid;
	struct perf_ring ring;
	struct tree tree;
	struct live_thread *live;
	struct moments moments;
	uint64_t clock_ns;   /* of this ring: its CPU time at its last sample */
	uint64_t owed_ns;    /* of former rings: behind the last sample, … */
	uint64_t past_ns;    /* … and in all */
	uint64_t turn_ns;    /* since when it has a ring, or none, … */
	uint64_t rested_ns;  /* … and how long it had none before */
	uint64_t last_look;  /* at what it waits for … */
	uint64_t last_clock; /* … when its ring's clock said so, … */
	live_ref last_wait;  /* … and it was there; 0: nowhere */
	unsigned int edges;  /* samples whose copy was too short, in a row */
	struct foreign_deep *deep; /* NULL: none was */
	struct attach_python_thread python;
	unsigned int behind; /* its samples that another one stands for */
	bool there, ended;
};

struct attach_process {
	pid_t pid;
	uint64_t started; /* process_start() */
	struct foreign foreign;
	struct attach_record record;
	struct attach_how how;
	struct unwinder *unwinder;
	void *arrays;
	struct attach_thread **threads;
	size_t thread_count, thread_room;
	char *stack; /* of a thread that waits */
	struct attach_python python;
	bool gone;

	/* What came of it. */
	uint64_t samples, cpu_ns;
	size_t unmeasured; /* threads without an event, as there is no room */
	int refused;       /* -errno of that */
	size_t resting;    /* threads without a ring: all take turns */
	uint64_t turn_ns;  /* the last ones */
};

/*
 * Begin to measure; `how` is what is wanted, and gets what is possible.  -errno
 * with a reason when nothing is.
 */
int attach_process_open(struct attach_process *p, pid_t pid, const char *folder,
			const struct job *job, bool ranked,
			const struct attach_how *how);
void attach_process_close(struct attach_process *p);

/* Take the samples that have come. */
void attach_process_drain(struct attach_process *p);

/* The same of one thread, that how.events has; `ended`: no more will come. */
void attach_process_wake(struct attach_thread *t, bool ended);

/* See which threads there are, and what those wait for that do. */
void attach_process_look(struct attach_process *p);

/* Take what is left, and leave it. */
void attach_process_end(struct attach_process *p);

/* All rings are halved, then copies.  False: they are as small as may be. */
bool attach_process_halve(struct attach_how *how);

/* attach-refused.c: why the kernel refuses an event of that process. */
int attach_refused(pid_t pid, int err);
