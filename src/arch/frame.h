/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frame.h - what a function has on the stack.
 *
 * RED_ZONE      bytes below the stack pointer that a leaf may use
 * STACK_ALIGN   what the stack pointer is a multiple of where a program begins
 * FRAME_PUSHED  bytes that a call puts there: the return address, or nothing
 *
 * At a frame pointer, __builtin_frame_address(0), words of the caller are at
 * known distances:
 *
 * FRAME_FP      index of the word with the caller's frame pointer
 * FRAME_PC      … with the return address
 * FRAME_SP      index of the word where the stack of the caller ends; or begins
 *               at the highest, and the end is not known (loose)
 *
 * FRAME_HERE    in a function compiled with -fno-omit-frame-pointer: words with
 *               these two, and what frame_sp() needs; they are there until the
 *               block ends
 *
 * struct frame_return   where the return address of a frame was found; has no
 *                       size where that follows from its stack pointer
 *
 * Signals      All may run in a handler.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

struct frame_return;

/* A return address without its signature, which is never checked. */
SIGSAFE_INLINE uintptr_t frame_strip(uintptr_t pc);

/* Of FRAME_HERE: where the caller's stack ends. */
SIGSAFE_INLINE uintptr_t frame_sp(const uintptr_t *frame);

/*
 * A frame with that stack pointer was returned to by the word at `slot`; 0: by
 * a register.  False: it cannot be found there again.
 */
SIGSAFE_INLINE bool frame_return_keep(struct frame_return *r, uintptr_t sp,
				      uintptr_t slot);

/* Where the return address is, given where the caller's stack ends. */
SIGSAFE_INLINE uintptr_t frame_return_slot(const struct frame_return *r,
					   uintptr_t sp);

/* … and what is there for that pc: it may be signed. */
SIGSAFE_INLINE uintptr_t frame_return_word(const struct frame_return *r,
					   uintptr_t pc);

/* The stack pointer is that of FRAME_SP. */
SIGSAFE_INLINE void frame_return_loosen(struct frame_return *r);
SIGSAFE_INLINE bool frame_return_is_loose(const struct frame_return *r);

#include "frame-inline.h"

SIGSAFE_INLINE uintptr_t frame_fp(const uintptr_t *frame)
{
	return frame[FRAME_FP];
}

SIGSAFE_INLINE uintptr_t frame_pc(const uintptr_t *frame)
{
	return frame_strip(frame[FRAME_PC]);
}
