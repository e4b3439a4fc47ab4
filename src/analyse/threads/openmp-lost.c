/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp-lost.c - from what the merge has of each process, and of call paths.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/threads/thread-waits.h"
#include "analyse/base/value.h"
#include "base/err.h"

#define WORTHWHILE 0.05 /* of the CPU time */
#define LEAST      0.01 /* of the elapsed time, that a first thread ran */

/* Elapsed for CPU time: more than 1 where the first thread lacked a core. */
static double elapsed_per_cpu(const struct run_rank *rank)
{
	double elapsed = (double)rank->elapsed_ns;
	double ran = elapsed - (double)rank->cores.waited_ns;

	return elapsed / fmax(ran, LEAST * elapsed);
}

double openmp_lost(const struct run_rank *rank, double elapsed, double useful)
{
	double workers =
		(double)rank->openmp.workers_ns / 1e9 * elapsed_per_cpu(rank);
	double waiting =
		(double)rank->openmp.waiting_ns / 1e9 * elapsed_per_cpu(rank);
	double mean;

	if (waiting <= 0 || elapsed <= 0)
		return 0;
	mean = (useful + workers - waiting) / (1 + workers / elapsed);
	return useful - fmax(fmin(mean, useful), 0);
}

/* Where threads wait for others without a call that says so. */
struct spun {
	double all, value, most; /* CPU time */
	uint32_t worst;          /* path */
};

static bool is_spin_node(const struct run_node *node, uint16_t kind)
{
	return node->kind == kind &&
	       (kind == RUN_OPENMP || node->detail == RUN_LOCK_YIELDS);
}

static struct spun find_spun(const struct paths *paths, uint16_t kind)
{
	const struct run *run = paths->run;
	const struct run_metric *cpu = run_metric(run, "cpu.time");
	struct spun s = { 0 };

	for (uint32_t i = 0; cpu && i < run->node_count; i++) {
		double value = value_node(cpu, i);

		s.all += value;
		if (!is_spin_node(&run->nodes[i], kind))
			continue;
		s.value += value;
		if (value > s.most) {
			s.most = value;
			s.worst = paths->of[i];
		}
	}
	return s;
}

/* By names: what the runtime calls its own functions is often not known. */
static char *openmp_place_of(const struct paths *paths, uint32_t path)
{
	const struct run_node *nodes = paths->run->nodes;

	while (path && (nodes[paths->at[path].node].kind == RUN_OPENMP ||
			nodes[paths->at[path].node].flags & RUN_UNNAMED))
		path = paths->at[path].parent;
	return path ? paths_short(paths, path, 3)
		    : strdup("threads that it began");
}

static void say_spun(struct report *report, const struct spun *s,
		     const char *what, const char *where)
{
	report_line(report,
		    "• Threads %s for %.0f %% of the CPU time, the longest in "
		    "%s (%.0f %%).",
		    what, 100 * s->value / s->all, where,
		    100 * s->most / s->all);
}

int openmp_say(struct report *report, const struct paths *paths)
{
	struct spun in_runtime = find_spun(paths, RUN_OPENMP);
	struct spun yields = find_spun(paths, RUN_LOCK);
	char *where;

	if (in_runtime.value > WORTHWHILE * in_runtime.all) {
		where = openmp_place_of(paths, in_runtime.worst);
		if (!where)
			return no_memory();
		say_spun(report, &in_runtime, "waited in the OpenMP runtime",
			 where);
		free(where);
	}
	if (yields.value > WORTHWHILE * yields.all) {
		where = paths_short(paths, paths->at[yields.worst].parent, 3);
		if (!where)
			return no_memory();
		say_spun(report, &yields,
			 "waited for others, spinning with sched_yield()",
			 where);
		free(where);
	}
	return 0;
}
