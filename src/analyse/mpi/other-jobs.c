/* SPDX-License-Identifier: BSD-3-Clause */
/* other-jobs.c - a sentence on a run in which several MPI jobs ran. */
#include <stdio.h>

#include "analyse/findings.h"
#include "analyse/phrase.h"

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

void findings_jobs(struct report *report, const struct run *run)
{
	size_t jobs, processes = count_others(run, &jobs);
	char others[32], of[32], ranks[32];

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
