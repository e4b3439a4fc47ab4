/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * instructions.h - what few instructions say, where a path has no other
 * information.  All are given copies of the code.
 *
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sigsafe.h"

enum call_kind {
	CALL_NONE,
	CALL_DIRECT,   /* of a function, or of its linkage entry */
	CALL_SLOT,     /* of the one whose address is in a word of the module */
	CALL_REGISTER, /* of the one whose address is in a register */
	CALL_MEMORY,   /* … in memory at a register */
};

/*
 * The call that returns to `pc`, by the CALL_SIZE bytes before that.  *to: the
 * function, or the word; else unchanged.
 */
SIGSAFE enum call_kind instructions_call_before(const uint8_t *code,
						uintptr_t pc, uintptr_t *to);

/*
 * Do these bytes of code at `at`, LINKAGE_SIZE as a rule, begin with the jump
 * of an entry of a linkage table?  *slot: the word that has the function's
 * address.
 */
SIGSAFE_INLINE bool instructions_linkage(const uint8_t *code, size_t size,
					 uintptr_t at, uintptr_t *slot);

/*
 * Does the function _init begin there, INIT_SIZE bytes?  Every module has one,
 * of the C library's start files, without information.
 */
SIGSAFE bool instructions_init(const uint8_t *code);

/* What is left of a function: */
struct epilogue {
	intptr_t pc; /* the return address, from the stack pointer on; … */
	intptr_t fp; /* … the frame pointer, if it is there; … */
	intptr_t sp; /* … and the caller's stack pointer */
	bool fp_saved;
	bool pc_saved; /* else it is in a register */
};

/* False: it does more than to call by registers, to give its stack back and to
 * return, or goes on behind the bytes. */
SIGSAFE bool instructions_epilogue(const uint8_t *code, size_t size,
				   struct epilogue *to);

#include "instructions-inline.h"
