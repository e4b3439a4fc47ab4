/* SPDX-License-Identifier: BSD-3-Clause */
/* live-run.h - the live profiles of one run on this host, while it goes on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "launch/livedir.h"

struct live_folder {
	char *path;
	struct live_note note;
};

struct live_run {
	struct live_folder *at; /* one for each `copse run` of it */
	size_t count;
};

/*
 * The run whose output directory is `word`, or whose batch job has that number;
 * NULL: the newest of this user.  0; -ENOENT with a reason: there is none; or
 * -errno with a reason.
 */
int live_run_find(struct live_run *to, const char *word);
void live_run_fini(struct live_run *run);

/* What a thread has done until now, to compare two looks. */
struct live_progress {
	uint32_t pid, tid;
	uint64_t completed; /* calls, but for polls in vain */
};

/*
 * Of all threads that have made calls of MPI; the caller frees.  0, or -errno
 * with a reason.
 */
int live_run_progress(const struct live_run *run, struct live_progress **to,
		      size_t *count);

/* Ask for what GPUs have done; it is there in two seconds, if it can be. */
void live_run_ask(const struct live_run *run);

/*
 * Copies of all live profiles, into a directory.  0; -ENODATA with a reason:
 * there are none; or -errno with a reason.
 */
int live_run_copy(struct live_run *run, const char *directory);
