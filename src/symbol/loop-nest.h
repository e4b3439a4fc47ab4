/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop-nest.h - the loops of a control-flow graph, and how they nest.
 *
 * Tao Wei, Jian Mao, Wei Zou, Yu Chen: A New Algorithm for Identifying Loops in
 * Decompilation (SAS 2007): one depth-first search, no dominators, and loops
 * that are entered in several places (irreducible) are found as well.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LOOP_NONE UINT32_MAX

/* The successors of block b are to[first[b]] ... to[first[b + 1] - 1]. */
struct loop_graph {
	uint32_t count;
	const uint32_t *first, *to;
};

/*
 * inside[b]: the first block (header) of the innermost loop that b is in, of a
 * header: of the loop around its own; LOOP_NONE: in none.  Block 0 is where
 * the code begins; what it does not reach is searched as well, in order.
 * Both arrays are the caller's, of `count`.  0, or -ENOMEM with a reason.
 */
int loop_nest_find(const struct loop_graph *graph, uint32_t *inside,
		   bool *is_header);
