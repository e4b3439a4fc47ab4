/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * other-jobs.c - sentences on MPI jobs beside the one that is shown, and on MPI
 * that was not counted.
 */
#include <stdio.h>
#include <string.h>

#include "analyse/mpi/mpi-findings.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/base/report.h"
#include "analyse/base/phrase.h"

/* Their processes; into *jobs how many jobs that are, numbered from 2 on. */
static size_t count_others(const struct run *run, size_t *jobs)
{
	size_t processes = 0;
	uint32_t last = 1;

	for (size_t i = run->member_count; i < run->rank_count; i++) {
		if (!run_is_other_job(&run->ranks[i]))
			continue;
		processes++;
		if (run->ranks[i].job.number > last)
			last = run->ranks[i].job.number;
	}
	*jobs = last - 1;
	return processes;
}

static void say_unseen(struct report *report, const struct run *run)
{
	size_t unseen = efficiency_unseen(run);
	char processes[32];

	if (unseen)
		report_line(
			report,
			"! %s that MPI_Comm_spawn started %s not measured: no "
			"efficiency is computed, and what ranks waited for may "
			"be there. To measure all, put copse run in front of "
			"the launcher: copse run mpirun ... PROGRAM.",
			phrase_plural(processes, unseen, "process"),
			unseen == 1 ? "was" : "were");
}

/* A function of MPI that was sampled; its own node is another kind. */
static const struct run_node *sampled_mpi(const struct run *run)
{
	for (size_t i = 0; i < run->node_count; i++) {
		const struct run_node *node = &run->nodes[i];
		const char *name = str_at(&run->strings, node->function);

		if (node->kind == RUN_FUNCTION &&
		    (!strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5)))
			return node;
	}
	return NULL;
}

static void say_uncounted(struct report *report, const struct run *run)
{
	const struct run_node *node = run->world ? NULL : sampled_mpi(run);
	const char *file;

	if (!node)
		return;
	file = str_base(str_at(&run->strings, node->module));
	report_line(report,
		    "! %s of %s was sampled, and no MPI call was counted: "
		    "waiting in MPI and efficiency are not known. %s",
		    str_at(&run->strings, node->function), file,
		    strncmp(file, "lib", 3)
			    ? "To count calls, link MPI dynamically: this "
			      "program has its functions in itself."
			    : "Was it run with --mpi=off, or has copse no "
			      "wrappers for this MPI (copse check)?");
}

void jobs_findings(struct report *report, const struct run *run)
{
	size_t jobs, processes = count_others(run, &jobs);
	char others[32], of[32], ranks[32];

	say_unseen(report, run);
	say_uncounted(report, run);
	if (!processes)
		return;
	report_line(
		report,
		"! %s with %s ran in this run: ranks, efficiency and "
		"waiting are those of the one that took most time, %s (%s). "
		"To measure each, put copse run right before its program, "
		"with a directory of its own: mpirun ... copse run -o DIR "
		"PROGRAM.",
		phrase_plural(others, jobs, "other MPI job"),
		phrase_plural(of, processes, "process"),
		str_at(&run->strings, run->command),
		phrase_plural(ranks, run->world, "rank"));
}
