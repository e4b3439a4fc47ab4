/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * path-heat.h - what processes have in the call paths that matter, with what
 * these call, small enough for a picture of any number of processes.
 *
 * Codes   A byte is 0 for nothing, else b stands for top * 2^((b - 255) / 16):
 *         within 2.2 % of the value.
 */
#pragma once

#include "analyse/ranks/rank-groups.h"
#include "run/call-paths.h"
#include "run/path-sums.h"

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
