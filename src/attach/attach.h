/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * attach.h - measures processes that copse did not start, from outside: nobody
 * is stopped, and nothing is written into them (doc/decisions/attach.md).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "attach/attach-process.h"

struct attach {
	struct attach_process *processes;
	size_t count;
	int events,
		signals; /* descriptors: all that is waited for, and these */
	uint64_t start_ns, end_ns;
	int signal; /* that ended it; 0: none */
};

/*
 * What rings of all their threads may have, where only so much memory may be
 * locked: sets `dump` and `room`.
 */
void attach_plan(struct attach_how *how, const pid_t *pids, size_t count);

/*
 * Until that many seconds have passed (0: without end), SIGINT, SIGTERM or
 * SIGHUP comes, or all have ended.  0, or -errno with a reason.
 */
int attach_run(struct attach *a, double seconds);

/* 0, or -ENODATA with the reason why there is no sample of any of them. */
int attach_check(const struct attach *a);
