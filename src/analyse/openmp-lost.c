/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp-lost.c - from what the merge has of each process, and of call paths.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/openmp-lost.h"
#include "analyse/value.h"
#include "base/err.h"

#define WORTHWHILE 0.05 /* of the CPU time */
#define LEAST      0.01 /* of the elapsed time, that a first thread ran */

/* Elapsed for CPU time: more than 1 where the first thread lacked a core. */
static double stretch(const struct run_rank *rank)
{
	double elapsed = (double)rank->elapsed_ns;
	double ran = elapsed - (double)rank->cores.waited_ns;

	return elapsed / fmax(ran, LEAST * elapsed);
}

double openmp_lost(const struct run_rank *rank, double elapsed, double useful)
{
	double workers = (double)rank->openmp.workers_ns / 1e9 * stretch(rank);
	double waiting = (double)rank->openmp.waiting_ns / 1e9 * stretch(rank);
	double mean;

	if (waiting <= 0 || elapsed <= 0)
		return 0;
	mean = (useful + workers - waiting) / (1 + workers / elapsed);
	return useful - fmax(fmin(mean, useful), 0);
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

int openmp_say(struct report *report, const struct paths *paths)
{
	const struct run *run = paths->run;
	const struct run_metric *cpu = run_metric(run, "cpu.time");
	double all = 0, waiting = 0, most = 0;
	uint32_t worst = 0;
	char *where;

	for (uint32_t i = 0; cpu && i < run->node_count; i++) {
		double value = value_node(cpu, i);

		all += value;
		if (run->nodes[i].kind != RUN_OPENMP)
			continue;
		waiting += value;
		if (value > most) {
			most = value;
			worst = paths->of[i];
		}
	}
	if (waiting <= WORTHWHILE * all)
		return 0;
	where = openmp_place_of(paths, worst);
	if (!where)
		return no_memory();
	report_line(report,
		    "• Threads waited in the OpenMP runtime for %.0f %% of the "
		    "CPU time, the longest in %s (%.0f %%).",
		    100 * waiting / all, where, 100 * most / all);
	free(where);
	return 0;
}
