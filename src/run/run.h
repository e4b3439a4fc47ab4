/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - all ranks of one run: a unified calling context tree with names,
 * and for each metric the statistics over ranks and every rank's value.
 *
 * Contexts   A procedure frame is a FUNCTION node; its `line` is the line of
 *            the *caller* from which it was called (0: not known), so one
 *            function called from two lines of its parent is two nodes.  What
 *            was sampled in a function itself is in LINE children of its
 *            node when the line is known, else on the node itself.  Inlined
 *            functions are FUNCTION nodes with INLINED set.  A LOOP stands
 *            between a function, or the loop around it, and what is in it.
 *            Nodes are in depth-first order, so a subtree is one piece.
 * Values     are exclusive: of this node alone.  Zero is not stored.
 * Members    With MPI the statistics are over the ranks of MPI_COMM_WORLD only,
 *            each once: the first member_count entries of `ranks`, by rank.
 *            What else ran (a child of a rank, a helper, another MPI job)
 *            follows them, by pid, and counts in sums and values alone.
 *            Without MPI every process is a member, but shells beside others.
 * Ownership  A run owns everything it points to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/metric.h"
#include "base/str.h"
#include "run/run-tables.h"

enum run_kind {
#define KIND(id, ...) RUN_##id,
#include "run/run-kinds.def"
#undef KIND
	RUN_KINDS
};

enum run_role {
	ROLE_FRAME,
	ROLE_WAIT, /* a frame in which threads wait for others */
	ROLE_PART  /* of the frame above; its file and line are its own */
};

extern const struct run_kind_info {
	const char *name;  /* as exports and pages call it */
	const char *group; /* what the time of it belongs to, in pages */
	enum run_role role;
} run_kinds[RUN_KINDS];

/* The detail of a RUN_LOCK in sched_yield(); else it is an enum lock_kind. */
#define RUN_LOCK_YIELDS UINT32_MAX

enum {
	RUN_INLINED = 1,
	RUN_UNNAMED = 2, /* name is module+0xoffset */
	RUN_PYTHON = 4   /* a function of Python; module: its file */
};

/* The detail of a RUN_KERNEL. */
enum {
	RUN_PROGRAM_WORD = 1 /* the program called it so */
};

struct run_value {
	uint32_t rank; /* index into ranks */
	uint64_t value;
};

/*
 * Call paths of threads that only waited, which reports leave out of a metric:
 * whole subtrees, each of a function that threads began with.
 */
struct run_idle_start {
	uint32_t node, waited; /* that function, and where most was waited */
	double value, cpu;     /* of the metric, and cpu.time; seconds */
};

struct run_idle {
	bool *nodes; /* by node: it is left out, its statistics are 0 */
	struct run_idle_start *starts; /* the longest first */
	size_t count;
};

struct run_metric {
	char name[56];
	enum unit unit;
	enum merge merge;
	struct run_stat *stats;   /* one per node */
	uint64_t *first;          /* node_count + 1: values of node n are */
	struct run_value *values; /* values[first[n]] … [first[n + 1] - 1];
				     NULL: see source */
	struct path_sum *sums;    /* path-sums.h; NULL: not known */
	struct run_idle *idle;    /* NULL: nothing is left out */
	struct counting counting;
};

struct run {
	struct strings strings;
	uint32_t command, job, version, mpi_library; /* strings */
	struct batch batch;     /* of the first rank that knows */
	uint32_t world;         /* size of MPI_COMM_WORLD, 0: no MPI */
	bool part;              /* others of its ranks are known elsewhere */
	struct run_rank *ranks; /* members first; by rank, then by pid */
	size_t member_count;
	struct run_node *nodes;
	uint32_t *path_of; /* by node, as the database has it; or NULL */
	size_t path_count;
	struct run_metric *metrics;
	struct run_loss *losses;
	struct run_problem *problems;
	size_t rank_count, node_count, metric_count, loss_count, problem_count;
	struct run_threads threads;
	struct run_ends ends;
	struct run_memory memory;
	struct run_split split; /* split.h */
	struct run_calls calls;
	struct run_waits waits;
	struct run_timeline timeline;
	struct run_iterations iterations;
	struct run_io io; /* with --io=on */
	struct run_facts facts;
	struct run_gpu gpu;
	struct run_collectives collectives;
	struct run_slices slices;  /* with --gpu-trace */
	struct run_energy energy;  /* with --gpu-power=on */
	struct run_source *source; /* values.h: where values are that are not in
				      memory; NULL: nowhere */
};

/* It is a rank of another MPI job than the run's. */
static inline bool run_is_other_job(const struct run_rank *rank)
{
	return rank->job.number > 1;
}

/* Its ranks are MPI's, not another launcher's. */
static inline bool run_has_mpi(const struct run *run)
{
	return run->world &&
	       (!run->ranks->launch_size || run->ranks->mpi_ns > 0);
}

void run_free(struct run *run);            /* NULL is fine */
void run_idle_free(struct run_idle *idle); /* NULL is fine */

/* The metric of that name, or NULL. */
const struct run_metric *run_metric(const struct run *run, const char *name);

/* The iterations of run->ranks[rank], or NULL: it has none. */
const struct run_iteration_rank *run_iterations_of(const struct run *run,
						   uint32_t rank);

/* Of a rank's rows: its first iteration, and how many it stands for. */
uint64_t run_iteration_number(const struct run_step *step, size_t row,
			      uint32_t *each);

/* "ncclAllReduce", of a row of gpu/collectives. */
const char *run_collective_name(uint32_t function);

/* "io-worker-12" is "io-worker-#"; `to` has room for as much. */
void run_thread_pattern(char *to, const char *name);

/* Its values are the weights of samples; others are exact. */
bool run_is_sampled(const struct run_metric *metric);

/* run-file.c: 0, or -errno with a reason that names the file. */
int run_save(const struct run *run, const char *path);

/* The same of a part that another host reads: of some kilobytes. */
int run_save_part(const struct run *run, const char *path);
int run_load(struct run **to, const char *path);

/* A line, or a loop: its place is its own, not its caller's. */
static inline bool run_is_part(const struct run_node *node)
{
	return run_kinds[node->kind].role == ROLE_PART;
}

/* The function that a line or a loop is in; any other node is its own. */
uint32_t run_frame(const struct run *run, uint32_t node);

/* The node behind the last one that is this or below it. */
uint32_t run_subtree_end(const struct run *run, uint32_t node);
