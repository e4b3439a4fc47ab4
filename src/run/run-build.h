/* SPDX-License-Identifier: BSD-3-Clause */
/* run-build.h - what the parts of the merge share while they fill a run. */
#pragma once

#include "run/run.h"

/* run.c: add one; 0, or -ENOMEM with a reason. */
int run_problem(struct run *run, const char *source, const char *text);
int run_loss(struct run *run, const char *name, uint32_t rank, uint64_t count);

/*
 * stats.c: the statistics of all metrics, from the values and member_count; and
 * first[] of metrics whose values are not in memory.  0, or -errno with a
 * reason.
 */
int run_stats(struct run *run);

/* Statistics over all entries, for databases without them. */
int run_entry_stats(struct run *run);

/* run-check.c: a run that was read; what is wrong is a failure of the store. */
struct store;
void run_check(struct store *s, const struct run *run);

/* The same values in memory, after run_stats(). */
int run_fetch(struct run *run);
