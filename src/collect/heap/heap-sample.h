/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap-sample.h - allocations of the program, sampled by bytes, as the adapter
 * reports them to the collector.
 *
 * Each byte that a thread asks for is drawn with the same chance: one of so
 * many, the mean interval.  An allocation that has a drawn byte is a sample,
 * and stands for 1 / P like it, where P is the chance that it has one.  The
 * adapter counts bytes down to the next one that is drawn; only then, and when
 * a block is freed that may be one of the sampled, it calls the collector.
 *
 * Threads   Any.  A block is told before the program has it, and taken back
 *           before the program's allocator has it.
 * Signals   May be called in a handler of the program: what that interrupted
 *           goes on undisturbed.  Not to be called from ours.
 * Failure   Nothing fails: what is not sampled is counted.  errno is unchanged.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HEAP_FILTER = 1 << 16
};

/*
 * How many sampled blocks are live whose address is such; one that was 255 once
 * stays.  Blocks near each other are near each other here: few cache lines.
 */
extern uint8_t copse_heap_filter[HEAP_FILTER];

static inline uint8_t *heap_filter_place(const void *block)
{
	uintptr_t at = (uintptr_t)block;

	return &copse_heap_filter[(at >> 4 ^ at >> 20) % HEAP_FILTER];
}

/* May it be one that was sampled? */
static inline bool heap_may_be_sampled(const void *block)
{
	return __atomic_load_n(heap_filter_place(block), __ATOMIC_RELAXED);
}

/* A block that is sampled. */
struct heap_block {
	uint64_t address; /* 0: none */
	uint64_t bytes;
	uint64_t ns;         /* CLOCK_MONOTONIC, of its allocation */
	double interval;     /* mean bytes from one that is drawn to the next */
	uint32_t sum;        /* struct live_heap_sum; live_ref */
	uint32_t generation; /* of the profile that has that */
};

/* Of each thread, in each adapter; all zero at first. */
struct heap_draws {
	uint64_t left;   /* so many bytes are not drawn; atomic */
	double interval; /* by which that was drawn; 0: not yet */
};

/* From the adapter, when it is loaded. */
void copse_heap_init(void);

/*
 * An allocation of so many bytes is not below draws->left: is it a sample, of
 * which interval?  0: no.  What comes next is drawn.
 */
double copse_heap_draw(struct heap_draws *draws, uint64_t bytes);

/*
 * It has got this block.  `frame` is that of the function that the program
 * called: the place of its saved frame pointer.
 */
void copse_heap_allocated(const void *block, uint64_t bytes, double interval,
			  const uintptr_t *frame);

/* It is about to be freed.  What it was goes to `was`; false: no sample. */
bool copse_heap_freed(const void *block, struct heap_block *was);

/* It was not freed, after all. */
void copse_heap_kept(const struct heap_block *was);
