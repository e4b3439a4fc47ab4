/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap-use.h - memory that the program allocated (copse run --heap), by the
 * program's own functions.
 */
#pragma once

#include "analyse/base/report.h"
#include "run/call-paths.h"

enum heap_value {
	HEAP_SAMPLES,
	HEAP_ALLOCATIONS,
	HEAP_ALLOCATED,
	HEAP_AT_PEAK,
	HEAP_LEAKS,
	HEAP_LEAKED,
	HEAP_YOUNG,
	HEAP_YOUNG_BYTES,
	HEAP_GROWTH,
	HEAP_ALLOCATIONS_ERROR,
	HEAP_ALLOCATED_ERROR,
	HEAP_AT_PEAK_ERROR,
	HEAP_LEAKED_ERROR,
	HEAP_VALUES
};

struct heap_row {
	uint32_t path; /* of the program's function, or the allocating one */
	double values[HEAP_VALUES]; /* of all ranks */
	/* The rank (index) with most, and what it has. */
	uint32_t grows_rank, holds_rank;
	double grows, holds;
};

struct heap_use {
	const struct paths *paths;
	struct heap_row *at; /* what held most at the peaks first */
	size_t count;
	struct heap_row total;
	double *held;      /* by rank: at its peak */
	uint64_t interval; /* the largest of all ranks */
};

/* 0, or -errno with a reason; count 0: nothing was sampled. */
int heap_use_init(struct heap_use *to, const struct paths *paths);
void heap_use_fini(struct heap_use *use);

/* The 95 % interval reaches so far on both sides, by a value's variance. */
double heap_use_margin(const struct heap_row *row, enum heap_value variance);

/* What a process (index) grows by each second, of such a growth. */
double heap_use_each_second(const struct run *run, uint32_t rank,
			    double growth);

/* Seconds of one of its iterations; 0: it has none. */
double heap_use_iteration(const struct run *run, uint32_t rank);

/* What has most of what a process (index) held more than the others' mean, if
   that is `least` bytes; NULL: none has. */
const struct heap_row *heap_use_excess(const struct heap_use *use,
				       uint32_t rank, double least);

/* Sentences and the table of copse report memory. */
void heap_use_report(struct report *report, const struct heap_use *use,
		     size_t limit);
