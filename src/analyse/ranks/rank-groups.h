/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-groups.h - the processes of a run in few groups, as a picture has few
 * lines: neighbours, of one host as far as there is room, but for those that
 * somebody names, each of which stays alone.
 */
#pragma once

#include "run/call-paths.h"
#include "run/path-sums.h"
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

/*
 * path-heat.c: what processes have in the call paths that matter, with what
 * these call, small enough for a picture of any number of processes.
 *
 * Codes   A byte is 0 for nothing, else b stands for top * 2^((b - 255) / 16):
 *         within 2.2 % of the value.
 */

struct path_heat {
	const struct run_metric *metric;
	uint32_t *paths; /* in the order of their numbers */
	size_t count;
	struct path_sum *sums; /* of each, over members */
	double top;            /* the largest value, in the metric's unit */
	uint8_t *mean, *most;  /* of groups: path after path */
	/* The first of them by value, process by process: codes, and values. */
	uint32_t *strips, *exact; /* paths */
	size_t strip_count, exact_count;
	uint8_t *strip_codes;
	uint64_t *exact_values;
};

/*
 * wanted[], by path, are in it whatever they have.  0, or -errno with a reason.
 */
int path_heat_init(struct path_heat *heat, const struct paths *paths,
		   const struct run_metric *metric,
		   const struct rank_groups *groups, const bool *wanted);
void path_heat_fini(struct path_heat *heat);
