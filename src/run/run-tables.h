/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-tables.h - the structs of run.def, which describes them, and what their
 * members mean: MPI calls, waits, GPUs and their energy.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/batch.h"
#include "base/cores.h"
#include "base/family.h"

/* In place of an index. */
#define RUN_NO_COMM       UINT32_MAX
#define RUN_SEVERAL_COMMS (UINT32_MAX - 1)
#define RUN_HOST          UINT32_MAX /* device: the memory is the host's */
#define RUN_NO_MODEL      UINT32_MAX
#define RUN_NO_POWER      UINT32_MAX

#define RUN_GPU_BINS 4096

enum wait_kind {
#define WAIT(id, ...) WAIT_##id,
#include "run/waits.def"
#undef WAIT
	WAIT_KINDS
};

#define WAIT_OTHERS UINT32_MAX /* culprit: small causes, made one */

enum run_thread_kind {    /* of a group of threads */
	RUN_THREAD_FIRST, /* the process's first */
	RUN_THREAD_BEGUN,
	RUN_THREAD_PARALLEL /* they work in parallel regions of others */
};

enum run_time_kind {      /* of a row of the timeline */
	RUN_TIME_THREAD,  /* one that calls MPI */
	RUN_TIME_HELPERS, /* those of the process that do not, together */
	RUN_TIME_GPU,
	RUN_TIME_KINDS
};
#define RUN_POWER_BINS 256 /* of a GPU */
#define RUN_TIME_WHOLE 255 /* a share of 1 in a cell */

enum run_operation_kind { /* as enum live_event_kind */
	RUN_OPERATION_SEND,
	RUN_OPERATION_RECV /* … */
};

enum {
	RUN_CONTEXT_UNSAMPLED = 1, /* no sample says so: what called MPI next */
	RUN_CONTEXT_HELPERS = 2    /* where its threads without MPI were, CPU
				      time, while it was not sampled */
};

#define TABLE(record, ...)      struct record {
#define RECORD                  TABLE
#define COLUMN(type, name, ...) type name;
#define MEMBER                  COLUMN
#define END_TABLE                                                              \
	}                                                                      \
	;
#include "run/run.def"

/* Calls of a rank in which operations that were kept ended. */
struct run_kept_calls {
	uint32_t node, rank;
	uint64_t calls;
};

#define GROUP(record) struct record {
#define TABLE(record, array, number, ...)                                      \
	struct record *array;                                                  \
	size_t number;
#define HOLDS(type, name, ...) type name;
#define END_GROUP                                                              \
	}                                                                      \
	;
#include "run/run.def"

/* run.c: free what a group holds. */
#define GROUP(record) void record##_fini(struct record *of);
#include "run/run.def"

/* The least size of a class. */
static inline uint64_t run_size_least(uint32_t class)
{
	return class ? (uint64_t)1 << (class - 1) : 0;
}

/* run.c: how long a process ran, but pauses, while its GPUs were known. */
uint64_t run_gpu_known(const struct run_gpu *gpu, uint32_t rank,
		       const struct run_rank *times);
