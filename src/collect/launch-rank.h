/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch-rank.h - the rank that a launcher other than MPI's gave this process
 * by variables of the environment, before or behind `copse run`.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct launch_rank {
	uint32_t rank, size; /* size 0: there is none */
};

/* Children have their parent's variables, and so its rank. */
struct launch_rank launch_rank_find(void);
