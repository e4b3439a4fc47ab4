/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop-code.h - the loops in the machine code of one function.
 *
 * The code is read from its beginning to its end, since compilers put no data
 * between; where a jump through a table leads is not read from the table: the
 * blocks that nothing else leads to are taken to be its targets.
 */
#ifndef SYMBOL_LOOP_CODE_H
#define SYMBOL_LOOP_CODE_H

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

/* Says which calls do not return: the code goes on elsewhere. */
struct loop_calls {
	bool (*returns)(void *of, uint64_t target);
	void *of;
};

/*
 * Read the code; `calls` may be NULL: all of them return.  Nothing is found,
 * without a failure, where there is no disassembler or no code that it knows.
 * 0, or -ENOMEM with a reason.
 */
int loop_code_read(struct loop_code *to, const unsigned char *code, size_t size,
		   uint64_t address, const struct loop_calls *calls);
void loop_code_fini(struct loop_code *code);

/* The header of the innermost loop at an address; LOOP_NONE: in none. */
uint32_t loop_code_at(const struct loop_code *code, uint64_t address);

#endif
