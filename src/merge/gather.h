/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather.h - the parts of collective calls and messages that all ranks kept,
 * and the moments of their samples: gathered while the profiles pass one at a
 * time, then joined.
 *
 * Memory     is bounded: what does not fit makes the level grow, so that half
 *            of the instances go, the same in all ranks; moments are thinned.
 *            What is left does not depend on the order of the profiles.
 * Ownership  parts_free() frees all.
 */
#ifndef MERGE_GATHER_H
#define MERGE_GATHER_H

#include <stdbool.h>

#include "merge/clocks.h"
#include "merge/run.h"
#include "profile/profile.h"

#define GATHER_PARTS   ((size_t)256 << 20) /* bytes of parts */
#define GATHER_MOMENTS ((size_t)80 << 20)  /* bytes of moments */
#define GATHER_HELPERS UINT32_MAX /* the thread of what all helpers have */

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
	bool meets;          /* nobody leaves before the last has come */
	bool one_way;        /* a message whose sender needs no receiver */
};

struct moment {
	int64_t ns;
	uint32_t node, weight_ns;
};

/* The moments of one thread; those of a process's helpers, which have no parts,
   are one series, and there weight_ns is the CPU time that a moment stands for.
 */
struct series {
	uint32_t process, thread;
	bool wall;        /* blocked threads were sampled, too */
	double every;     /* samples that one stands for */
	double period_ns; /* CPU time that one stands for, on average */
	struct moment *at;
	size_t count;
};

struct gathered {
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
void gather_init(struct gathered *parts, size_t bytes, size_t moment_bytes);
void gather_fini(struct gathered *parts);

/*
 * Add what one process has; it is `process` in the parts, nodes[] are its
 * profile's nodes in the unified tree.  0, or -ENOMEM with a reason.
 */
int gather_add(struct gathered *parts, const struct profile *profile,
	       uint32_t process, const uint32_t *nodes);

/* The nodes of the unified tree that parts and moments refer to. */
void gather_wanted(const struct gathered *parts, bool *wanted);

/*
 * Once the run has its ranks and nodes: order[] and became[] say what
 * processes and nodes became.  Parts of processes that are no members go.
 * 0, or -ENOMEM with a reason.
 */
int gather_rename(struct gathered *parts, const struct run *run,
		  const uint32_t *order, const uint32_t *became);

/*
 * Sort by key and keep complete instances only; the others are counted in
 * parts->joined.
 */
void gather_join(struct gathered *parts, const struct run *run);

/* How many instances that of the part stands for. */
double gather_weight(const struct gathered *parts, const struct part *part);

/* The end of the instance that begins at part i. */
size_t gather_instance(const struct gathered *parts, size_t i);

/* The moments of a thread, or of GATHER_HELPERS; NULL: none. */
const struct series *gather_series(const struct gathered *parts,
				   uint32_t process, uint32_t thread);

#endif
