/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operation-index.h - kept operations of a run, two ways: the calls of a
 * thread, each with the rows that ended in it, and the rows of an operation.
 *
 * Ownership   The run must outlive it.
 */
#pragma once

#include "run/run.h"

struct operation_index {
	const struct run_operation *at; /* the run's */
	size_t count;
	uint32_t *order; /* rows by operation, then rank */
};

/* 0, or -ENOMEM with a reason. */
int operation_index_init(struct operation_index *index, const struct run *run);
void operation_index_fini(struct operation_index *index);

/* The first row of a process, or of one behind it. */
size_t operation_index_first(const struct operation_index *index,
			     uint32_t process);

/* The end of the call that begins at that row. */
size_t operation_index_call_end(const struct operation_index *index,
				size_t row);

/* The rows of what `row` is one of: so many numbers. */
const uint32_t *operation_index_rows(const struct operation_index *index,
				     size_t row, size_t *count);
