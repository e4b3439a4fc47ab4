/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parts.h - the parts of collective calls and messages that all ranks kept,
 * and the moments of their samples: gathered while the profiles pass one at a
 * time, then joined.
 *
 * Memory     is bounded: what does not fit makes the level grow, so that half
 *            of the instances go, the same in all ranks; moments are thinned.
 *            What is left does not depend on the order of the profiles.
 * Ownership  parts_free() frees all.
 */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

#include <stdbool.h>

#include "merge/clocks.h"
#include "merge/run.h"
#include "profile/profile.h"

#define PARTS_MEMORY   ((size_t)256 << 20) /* bytes of parts */
#define MOMENTS_MEMORY ((size_t)64 << 20)  /* bytes of moments */

struct part {
	uint64_t key;
	int64_t begin, enter, leave; /* of the process's clock, then aligned */
	uint32_t begin_node, node;   /* of the unified tree, then the run's */
	uint32_t process;            /* in the order of reading, then the run's
				      */
	uint32_t thread;
	int32_t peer;
	uint32_t check, size, comm_rank, cluster;
	uint8_t kind, level; /* enum live_part_kind */
	bool main;           /* of the thread of MPI_Init */
	bool init;           /* of MPI_Init itself: it bounds clocks only */
};

struct moment {
	int64_t ns;
	uint32_t node, weight_ns;
};

struct series { /* the moments of one thread */
	uint32_t process, thread;
	bool wall;        /* blocked threads were sampled, too */
	double every;     /* samples that one stands for */
	double period_ns; /* CPU time that one stands for, on average */
	struct moment *at;
	size_t count;
};

struct parts {
	struct part *at;
	struct series *series;
	struct clock_source *sources; /* one for each process */
	size_t count, room, series_count, series_room, source_count,
		source_room;
	size_t most, most_moments, moment_count;
	uint32_t level, thinned; /* one of 2^thinned moments is kept */
	struct run_joined joined;
};

/* At most so many bytes of each. */
void parts_init(struct parts *parts, size_t bytes, size_t moment_bytes);
void parts_fini(struct parts *parts);

/*
 * Add what one process has; it is `process` in the parts, nodes[] are its
 * profile's nodes in the unified tree.  0, or -ENOMEM with a reason.
 */
int parts_add(struct parts *parts, const struct profile *profile,
	      uint32_t process, const uint32_t *nodes);

/* The nodes of the unified tree that parts and moments refer to. */
void parts_wanted(const struct parts *parts, bool *wanted);

/*
 * Once the run has its ranks and nodes: order[] and became[] say what
 * processes and nodes became.  Parts of processes that are no members go.
 * 0, or -ENOMEM with a reason.
 */
int parts_rename(struct parts *parts, const struct run *run,
		 const uint32_t *order, const uint32_t *became);

/*
 * Sort by key and keep complete instances only; the others are counted in
 * parts->joined.
 */
void parts_join(struct parts *parts, const struct run *run);

/* The end of the instance that begins at part i. */
size_t parts_instance(const struct parts *parts, size_t i);

/* The moments of a thread, or NULL. */
const struct series *parts_series(const struct parts *parts, uint32_t process,
				  uint32_t thread);

#endif
