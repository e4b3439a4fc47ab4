/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-waits.h - who made whom wait in a run: what the joined parts of
 * collective calls and messages say.
 *
 * Causes     A cause is one kind of waiting, of one victim context, for one
 *            culprit rank.  Its contexts say where the culprit was meanwhile,
 *            its victims which ranks waited how long.
 * Estimates  One instance of 2^level was kept: seconds are sums times 2^level,
 *            and have a standard error.
 * Indices    Nodes are the run's; ranks are indices into its ranks.
 */
#ifndef RUN_RUN_WAITS_H
#define RUN_RUN_WAITS_H

#include <stddef.h>
#include <stdint.h>

enum wait_kind {
#define WAIT(id, ...) WAIT_##id,
#include "run/waits.def"
#undef WAIT
	WAIT_KINDS
};

#define WAIT_OTHERS UINT32_MAX /* culprit: small causes, made one */

struct run_cause {
	uint32_t kind;      /* enum wait_kind */
	uint32_t victim;    /* node: the MPI call that waited */
	uint32_t culprit;   /* rank, or WAIT_OTHERS */
	uint64_t instances; /* that were kept */
	double ns;
	double error_ns;    /* standard error of it, of sampling instances */
	double clock_ns;    /* at most, of clocks that differ */
	double indirect_ns; /* of ns: others passed the waiting on */
	double early_ns;    /* WAIT_ALL_ONE: before the first sender came */
};

enum {
	RUN_CONTEXT_UNSAMPLED = 1, /* no sample says so: what called MPI next */
	RUN_CONTEXT_HELPERS = 2    /* where its threads without MPI were, CPU
				      time, while it was not sampled */
};

struct run_cause_context { /* by cause, helpers' last, the largest first */
	uint32_t cause, node, flags;
	double ns;
	uint64_t samples; /* that say so */
};

struct run_cause_victim { /* by cause, then rank */
	uint32_t cause, rank;
	double ns;
};

struct run_wait_rank {    /* one for each of the run's ranks */
	double waited_ns; /* by all threads … */
	double main_ns;   /* … and by the one of MPI_Init */
	double caused_ns;
};

/* What was joined, and what could not be. */
struct run_joined {
	uint64_t parts;       /* that the profiles have */
	uint64_t instances;   /* joined */
	uint64_t lacking;     /* a rank's part is missing */
	uint64_t disagreeing; /* parts of one key that do not belong together */
	uint32_t level;
	uint32_t clocks, unbound; /* monotonic clocks; known by date alone */
	double clock_error_ns;    /* the largest against the first rank's */
	double other_causes;      /* how many WAIT_OTHERS stands for */
};

struct run_waits {
	struct run_joined joined;
	struct run_cause *causes; /* the largest first */
	struct run_cause_context *contexts;
	struct run_cause_victim *victims;
	struct run_wait_rank *ranks;
	size_t cause_count, context_count, victim_count, rank_count;
};

void run_waits_fini(struct run_waits *waits);

#endif
