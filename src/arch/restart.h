/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restart.h - what the registers of an interrupted context say of the system
 * call that it is just back from, or that the kernel will begin again.
 *
 * Signals   All may run in a handler.
 */
#pragma once

#include <stdbool.h>

#include "arch/registers.h"

/*
 * Is there the instruction that makes a system call?  Only the page that `at`
 * is on has to be mapped: an instruction on two of them is not seen.
 */
SIGSAFE_INLINE bool restart_is_call(uintptr_t at);

/* Is the last instruction one?  Is the next one? */
SIGSAFE_INLINE bool restart_is_behind(const mcontext_t *m);
SIGSAFE_INLINE bool restart_is_before(const mcontext_t *m);

/* Behind a call: what the kernel has returned. */
SIGSAFE_INLINE long restart_result(const mcontext_t *m);
SIGSAFE_INLINE void restart_set_result(mcontext_t *m, long result);

/* Before a call: its number, and leaving it out, with that result. */
SIGSAFE_INLINE long restart_number(const mcontext_t *m);
SIGSAFE_INLINE void restart_skip(mcontext_t *m, long result);

/*
 * Behind a call: its number, where the code says it as the C library's does, or
 * raw_syscall() has made it; -1: not to be known.
 */
SIGSAFE_INLINE long restart_number_behind(const mcontext_t *m);

/* Before and behind a call, its second and its fourth argument. */
SIGSAFE_INLINE long restart_second(const mcontext_t *m);
SIGSAFE_INLINE long restart_fourth(const mcontext_t *m);

#include "restart-inline.h"
