/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal-frame.h - what the kernel puts on the stack before it starts a
 * handler.
 *
 * SIGNAL_FRAME_ALIGN       the distance by which one is moved is a multiple
 * signal_frame_of_handler()  where the frame of the calling handler begins; it
 *                          makes the compiler keep a frame pointer
 *
 * Signals                  All may run in a handler.
 */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "base/sigsafe.h"

/* The context in the frame that begins there. */
SIGSAFE_INLINE ucontext_t *signal_frame_context(uintptr_t frame);

/* It was copied to `distance` bytes below: what points into it does again. */
SIGSAFE_INLINE void signal_frame_moved(ucontext_t *context, uintptr_t distance);

/* Goes on with `handler` as the kernel would have started it on the frame. */
SIGSAFE_INLINE _Noreturn void
signal_frame_start(uintptr_t frame, void (*handler)(int, siginfo_t *, void *),
		   int signum, siginfo_t *info);

#include "signal-frame-inline.h"
