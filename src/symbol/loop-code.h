/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop-code.h - the loops in the machine code of one function.
 *
 * The code is disassembled from beginning to end: compilers put no data between
 * instructions.  Jump tables are not read.  Blocks that nothing else leads to
 * count as the targets of a jump through a table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/loop-nest.h"

struct loop_code { /* all zero: none */
	uint64_t address;
	size_t size;
	uint32_t *starts; /* offsets of instructions, ascending */
	uint32_t count;
	uint32_t *block_of; /* of each instruction */
	uint32_t *inside;   /* of each block, as in loop-nest.h */
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
