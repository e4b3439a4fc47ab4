/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * restart.h - what the registers of an interrupted context say of the system
 * call that it is just back from, or that the kernel will begin again.
 *
 * Signals   All may run in a handler.
 */
#pragma once

#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>

#include "arch/registers.h"
#include "arch/sys-call.h"

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

/* Before and behind a call, its arguments, which the kernel keeps. */
SIGSAFE_INLINE long restart_first(const mcontext_t *m);
SIGSAFE_INLINE long restart_second(const mcontext_t *m);
SIGSAFE_INLINE long restart_third(const mcontext_t *m);
SIGSAFE_INLINE long restart_fourth(const mcontext_t *m);

/* Behind a call: one that the kernel ends when a handler runs, but can go on
 * with else? */
SIGSAFE_INLINE bool restart_is_sleep(const mcontext_t *m);

#include "restart-inline.h"

SIGSAFE_INLINE bool restart_is_futex_wait(const mcontext_t *m)
{
	long wait = restart_second(m) & FUTEX_CMD_MASK;

	return wait == FUTEX_WAIT || wait == FUTEX_WAIT_BITSET;
}

/* No number of a descriptor, a size or a flag. */
SIGSAFE_INLINE bool restart_is_address(long argument)
{
	return argument > UINT16_MAX;
}

/*
 * It may be the number of a semaphore as well: then an address follows.  Of
 * sleeps that is nanosleep() alone, with a request in static data at a fixed
 * address and the rest wanted: it is taken for none, and may end early.
 */
SIGSAFE_INLINE bool restart_may_be_id(long first, long second)
{
	return first <= INT32_MAX && restart_is_address(second);
}

enum {
	RESTART_CLOCKS = 16,
	RESTART_SET_SIZE = 8 /* rt_sigtimedwait()'s fourth argument */
};

/*
 * Where the code does not say the number, as in glibc from 2.41 on and wherever
 * a compiler has put the call together, the arguments do: nanosleep, poll and
 * futex begin with an address, as no other call does that says EINTR.
 */
SIGSAFE_INLINE bool restart_has_sleep_arguments(const mcontext_t *m)
{
	long a = restart_first(m), b = restart_second(m), c = restart_third(m);

	if (restart_is_address(a))
		return b >= 0 && restart_fourth(m) != RESTART_SET_SIZE &&
		       !restart_may_be_id(a, b);
	/* clock_nanosleep, or poll of nothing */
	return !b && ((a < RESTART_CLOCKS && restart_is_address(c)) ||
		      (!a && (int)c));
}

SIGSAFE_INLINE bool restart_is_sleep(const mcontext_t *m)
{
	switch (restart_number_behind(m)) {
	case SYS_nanosleep:
	case SYS_poll:
		return true;
	case SYS_clock_nanosleep:
		return restart_second(m) == 0;
	case SYS_futex:
		return restart_is_futex_wait(m) && restart_fourth(m);
	case -1:
		return restart_has_sleep_arguments(m);
	default:
		return false;
	}
}
