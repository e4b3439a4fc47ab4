/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-groups.h - the processes of a run in few groups, as a picture has few
 * lines: neighbours, of one host as far as there is room, but for those that
 * somebody names, each of which stays alone.
 */
#pragma once

#include "run/run.h"

struct rank_group {
	uint32_t first, count; /* of run->ranks */
};

struct rank_groups {
	struct rank_group *at;
	size_t count;
};

enum {
	RANK_GROUPS = 256,     /* at most */
	RANK_GROUPS_NAMED = 64 /* of these: the first that are named */
};

/* named[] is by process.  0, or -ENOMEM with a reason. */
int rank_groups_init(struct rank_groups *groups, const struct run *run,
		     const bool *named);
void rank_groups_fini(struct rank_groups *groups);
