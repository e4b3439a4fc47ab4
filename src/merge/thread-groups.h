/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-groups.h - the threads of each process by what they are: those of one
 * name, but for numbers in it, that began in the same function are a group.
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "profile/profile.h"
#include "run/run.h"

struct thread_groups {
	struct run_threads sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names;
	struct map map;
	size_t room;
};

int thread_groups_init(struct thread_groups *groups); /* 0, or -ENOMEM */
void thread_groups_fini(struct thread_groups *groups);

/* What one process has; as match_add().  0, or -ENOMEM with a reason. */
int thread_groups_add(struct thread_groups *groups, const struct profile *p,
		      uint32_t process, const uint32_t *nodes);

/* The nodes of the unified tree that it refers to. */
void thread_groups_wanted(const struct thread_groups *groups, bool *wanted);

/* run->threads, with its names; groups are none then.  0, or -ENOMEM. */
int thread_groups_finish(struct thread_groups *groups, struct run *run,
			 const uint32_t *order, const uint32_t *became);
