/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-frame.h - what the kernel puts on the stack before it starts a
 * handler.
 *
 * SIGNAL_FRAME_ALIGN       the distance by which one is moved is a multiple
 * SIGNAL_FRAME_RETURN_SIZE bytes of the code that handlers return to, where it
 *                          may have no unwind information; else 0
 * signal_frame_of_handler()  where the frame of the calling handler begins; it
 *                          makes the compiler keep a frame pointer
 *
 * signal_frame_arguments(info, context)
 *                          sets these two of the calling handler, where the
 *                          kernel has not since there was no SA_SIGINFO
 *
 * Signals                  All may run in a handler.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/sigsafe.h"

/* Is it that code? */
SIGSAFE_INLINE bool signal_frame_returns(const uint8_t *code);

/* Where the context is when a handler has returned, by the stack pointer. */
SIGSAFE_INLINE uintptr_t signal_frame_left(uintptr_t sp);

/* The context in the frame that begins there. */
SIGSAFE_INLINE ucontext_t *signal_frame_context(uintptr_t frame);

/* It was copied to `distance` bytes below: what points into it does again. */
SIGSAFE_INLINE void signal_frame_moved(ucontext_t *context, uintptr_t distance);

/* Goes on with `handler` as the kernel would have started it on the frame. */
SIGSAFE_INLINE _Noreturn void
signal_frame_start(uintptr_t frame, void (*handler)(int, siginfo_t *, void *),
		   int signum, siginfo_t *info);

#include "signal-frame-inline.h"
