/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * groups.h - values by function, or by source line: exclusive, and inclusive
 * with recursion counted once.
 *
 * Ownership   The run must outlive its groups.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

struct group {
	uint32_t function, module; /* strings of the run */
	uint32_t file, line;       /* by function: of its most expensive line */
	uint16_t kind;             /* enum run_kind */
	double exclusive, inclusive; /* in the unit of reports */
	double hottest;              /* exclusive value of `line` */
};

struct groups {
	struct group *at; /* by exclusive value, the largest first */
	size_t count;
	double total; /* of all nodes */
};

/* 0, or -ENOMEM with a reason. */
int groups_init(struct groups *groups, const struct run *run,
		const struct run_metric *metric, bool by_line);
void groups_fini(struct groups *groups);
