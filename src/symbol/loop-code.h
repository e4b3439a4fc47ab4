/* SPDX-License-Identifier: BSD-3-Clause */
/* loop-code.h - the loops in the machine code of one function. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * loop-nest.c: the loops of a control-flow graph, and how they nest.
 *
 * Tao Wei, Jian Mao, Wei Zou, Yu Chen: A New Algorithm for Identifying Loops in
 * Decompilation (SAS 2007): one depth-first search, no dominators, and loops
 * that are entered in several places (irreducible) are found as well.
 */

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

/*
 * loop-code.c: the loops in the machine code of one function.
 *
 * The code is disassembled from beginning to end: compilers put no data between
 * instructions.  Jump tables are not read.  Blocks that nothing else leads to
 * count as the targets of a jump through a table.
 */

struct loop_code { /* all zero: none */
	uint64_t address;
	size_t size;
	uint32_t *starts; /* offsets of instructions, ascending */
	uint32_t count;
	uint32_t *block_of; /* of each instruction */
	uint32_t *inside;   /* of each block, by loop_nest_find() */
	bool *is_header;
	uint32_t block_count;
};

/* Which calls return; after one that does not, other code follows. */
struct loop_calls {
	bool (*returns)(void *of, uint64_t target);
	void *of;
};

/*
 * Find the loops in the code.  `calls` NULL: all calls return.  Without a
 * disassembler, or with code that it does not know, there are no loops; that is
 * no failure.  0, or -ENOMEM with a reason.
 */
int loop_code_read(struct loop_code *to, const unsigned char *code, size_t size,
		   uint64_t address, const struct loop_calls *calls);
void loop_code_fini(struct loop_code *code);

/* The header of the innermost loop at an address; LOOP_NONE: in none. */
uint32_t loop_code_at(const struct loop_code *code, uint64_t address);
