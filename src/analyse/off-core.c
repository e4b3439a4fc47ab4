/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * off-core.c - a sentence on time in which a program neither ran nor was in
 * what is measured apart: samples of CPU time tell nothing of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "analyse/elapsed.h"
#include "analyse/findings.h"
#include "analyse/phrase.h"
#include "analyse/value.h"
#include "base/err.h"
#include "live/layout.h"

#define MUCH   0.1 /* of the time: worth a sentence, */
#define LONGER 1.0 /* and so many seconds of a process are */

static bool is_seen(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].wall == LIVE_WALL_SAMPLED)
			return true;
	return false;
}

static double metric_total(const struct run *run, const char *metric)
{
	const struct run_metric *m = run_metric(run, metric);
	double sum = 0;

	for (size_t n = 0; m && n < run->node_count; n++)
		sum += value_node(m, n);
	return sum;
}

double cpu_in_mpi(const struct run *run)
{
	const struct run_metric *m = run_metric(run, "cpu.time");
	bool *inside = calloc(run->node_count + 1, sizeof(*inside));
	double sum = 0;

	if (!inside)
		return -1;
	for (size_t n = 0; m && n < run->node_count; n++) {
		inside[n] = run->nodes[n].kind == RUN_MPI ||
			    inside[run->nodes[n].parent];
		if (inside[n])
			sum += value_node(m, n);
	}
	free(inside);
	return sum;
}

/* How long each process waited for a core. */
static bool waits_known(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++)
		if (!run->ranks[i].cores.count)
			return false;
	return true;
}

/*
 * At least so long: threads may run at once, and some time is counted twice.
 * MPI, waiting for a core and calls of CUDA are told of elsewhere.
 */
static double off_core(const struct run *run, double all, double in_mpi)
{
	double off = all + in_mpi - metric_total(run, "mpi.time") -
		     metric_total(run, "gpu.calls.time");

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		uint64_t ran =
			r->process_cpu_ns ? r->process_cpu_ns : r->cpu_ns;

		off -= (double)(ran + r->cores.waited_ns + r->paused_ns) / 1e9;
	}
	return off;
}

int findings_off_core(struct report *report, const struct run *run)
{
	double all = 0, count = run->world ? (double)run->member_count : 1;
	double in_mpi = cpu_in_mpi(run), off;
	int err = in_mpi < 0 ? no_memory() : 0;
	char seconds[32], of[32];

	if (!err && !run->world)
		err = elapsed_of(&all, run);
	for (size_t i = 0; run->world && i < run->member_count; i++)
		all += (double)run->ranks[i].elapsed_ns / 1e9;
	if (err || is_seen(run))
		return err;
	off = off_core(run, all, in_mpi);
	if (off < MUCH * all || off < LONGER * count)
		return 0;
	phrase_time(seconds, off / count);
	phrase_time(of, all / count);
	report_line(report,
		    "• For %s of %s%s: sleep, files, locks%s; copse run -e "
		    "wall shows where.",
		    seconds, of,
		    run->world ? " on average, ranks neither ran nor were in "
				 "MPI"
			       : " nothing ran",
		    waits_known(run) ? "" : ", or no core");
	return 0;
}
