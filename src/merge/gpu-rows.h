/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-rows.h - what profiles have of GPUs, kept by a process of a team for the
 * root, which adds it as if it had read the profiles itself.
 *
 * Order     As kept: sums of timelines depend on it.
 * Memory    The rows themselves, of all profiles that the process has read.
 * Failure   0, or -ENOMEM with a reason; -EPROTO: the blob is not what the same
 *           version of this program writes.
 */
#pragma once

#include "base/blob.h"
#include "profile/profile.h"

struct gpu_rows { /* all zero: none; nodes: of the unified tree */
	struct blob kept;
};

void gpu_rows_fini(struct gpu_rows *rows);

/* Keep what one process has; nothing when it has nothing of GPUs. */
int gpu_rows_add(struct gpu_rows *rows, const struct profile *profile,
		 uint32_t process, const uint32_t *nodes);

void gpu_rows_pack(const struct gpu_rows *rows, struct blob *to);

/*
 * Called for each of another process's profiles, in their order.  A profile has
 * its GPU tables and the parts of its identity that these refer to, no more.
 */
struct gpu_rows_user {
	int (*add)(void *of, const struct profile *profile, uint32_t process,
		   const uint32_t *nodes);
	void *of;
};

/* `process`: of the other's process 0; nodes[i]: what its node i became. */
int gpu_rows_absorb(struct blob *from, uint32_t process, const uint32_t *nodes,
		    const struct gpu_rows_user *user);
