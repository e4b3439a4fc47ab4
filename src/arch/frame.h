/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * frame.h - what a function has on the stack.
 *
 * RED_ZONE     bytes below the stack pointer that a leaf may use
 * STACK_ALIGN  what the stack pointer is a multiple of where a program begins
 *
 * A function with a frame pointer, __builtin_frame_address(0), has three words
 * of its caller at known distances from it:
 *
 * FRAME_FP     index of the word with the caller's frame pointer
 * FRAME_PC     … with the return address
 * FRAME_SP     index of the word where the stack of its caller ends
 *
 * Signals      All may run in a handler.
 */
#pragma once

#include <stdint.h>

#include "base/sigsafe.h"

/* Where the return address is, given where the caller's stack ends. */
SIGSAFE_INLINE uintptr_t frame_return_slot(uintptr_t sp);

#include "frame-inline.h"
