/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interposer.h - how a function that allocates or frees is interposed.
 * NEXT(name) is the one behind it.
 *
 * Nearly all calls compare two numbers and jump on.  A call that is sampled
 * jumps to a function of its own, which has the frame that the program's caller
 * is found by.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arch/frame.h"
#include "base/hidden.h"
#include "collect/heap/heap-sample.h"

#define FRAME FRAME_HERE
#define ASIDE static __attribute__((noinline))

/* Bytes to the next sample of this thread in allocations.c; for operators.c. */
uint64_t copse_heap_undrawn(void) __attribute__((weak));

/* Bytes that are not drawn are never below 0: a handler may come between. */
static __thread struct heap_draws draws
	__attribute__((tls_model("initial-exec")));

static inline __attribute__((always_inline)) bool
interposer_passes(size_t bytes)
{
	uint64_t left = __atomic_load_n(&draws.left, __ATOMIC_RELAXED);

	if (__builtin_expect(bytes >= left, 0))
		return false;
	__atomic_store_n(&draws.left, left - bytes, __ATOMIC_RELAXED);
	return true;
}

/* below: another number once a function behind it has counted the block. */
#define INTERPOSE_ALLOCATION(name, parameters, arguments, bytes_, below)       \
	ASIDE void *name##_aside parameters                                    \
	{                                                                      \
		size_t bytes = bytes_;                                         \
		double interval = copse_heap_draw(&draws, bytes);              \
		uint64_t before = (below);                                     \
		void *block = NEXT(name) arguments;                            \
                                                                               \
		if (block && interval > 0 && before == (below))                \
			copse_heap_allocated(block, bytes, interval, FRAME);   \
		return block;                                                  \
	}                                                                      \
	PUBLIC void *name parameters                                           \
	{                                                                      \
		if (interposer_passes(bytes_))                                 \
			return NEXT(name) arguments;                           \
		return name##_aside arguments;                                 \
	}

/* goes_on: what is asked before; a block that the adapter has itself stays. */
#define INTERPOSE_FREE(name, parameters, arguments, goes_on)                   \
	ASIDE void name##_aside parameters                                     \
	{                                                                      \
		struct heap_block was;                                         \
                                                                               \
		if (!(goes_on))                                                \
			return;                                                \
		copse_heap_freed(block, &was);                                 \
		NEXT(name) arguments;                                          \
	}                                                                      \
	PUBLIC void name parameters                                            \
	{                                                                      \
		if (__builtin_expect(!heap_may_be_sampled(block), 1))          \
			NEXT(name) arguments;                                  \
		else                                                           \
			name##_aside arguments;                                \
	}
