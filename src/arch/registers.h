/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * registers.h - registers of a context that a signal has interrupted.
 *
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdint.h>
#include <ucontext.h>

#include "base/sigsafe.h"

SIGSAFE_INLINE uintptr_t registers_pc(const mcontext_t *m);
SIGSAFE_INLINE uintptr_t registers_sp(const mcontext_t *m);
SIGSAFE_INLINE uintptr_t registers_fp(const mcontext_t *m); /* frame pointer */

/* A function was called that is nowhere, and returns there: to the call. */
SIGSAFE_INLINE void registers_to_call(mcontext_t *m, uintptr_t returns);

/* The first argument, where a function is about to begin. */
SIGSAFE_INLINE uintptr_t registers_argument(const mcontext_t *m);

/* Where the one with that DWARF number, of dwarf.h, is in a context. */
SIGSAFE_INLINE const void *registers_place(const mcontext_t *m,
					   unsigned int number);

/* The calling thread's own, which names it. */
SIGSAFE_INLINE uintptr_t registers_thread(void);

#include "registers-inline.h"
