/* SPDX-License-Identifier: BSD-3-Clause */
/* exit-status.c - sentences on processes that did not end well. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/summary/summary-sentences.h"
#include "analyse/base/report.h"
#include "analyse/ends/ends.h"
#include "base/signal-name.h"
#include "analyse/base/processes.h"
#include "profile/profile.h"

#define PROBLEMS_SHOWN 5
#define KINDS_SHOWN    8

/*
 * A process that a rank has started ends unseen by copse, and that is well;
 * so is one beside others whose end was seen, in a run without MPI.
 */
static bool is_end_missed(const struct run *run, const struct run_rank *r)
{
	if (r->attached)
		return false; /* it was left, as a rule */
	if (run->world)
		return (size_t)(r - run->ranks) < run->member_count;
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].end != END_UNKNOWN)
			return false;
	return true;
}

/* A copy of a live profile, made while its process ran. */
static bool is_copy_of_live_profile(const struct run *run,
				    const struct run_rank *r)
{
	const char *source = str_at(&run->strings, r->source);
	const char *end = strrchr(source, '.');

	return end && !strcmp(end, ".live");
}

/* What became of a process, "" when it ended well. */
static void process_fate(const struct run *run, const struct run_rank *r,
			 char *to, size_t size)
{
	const char *name = signal_name((int)r->end_code);

	*to = 0;
	if (r->mpi_error)
		snprintf(to, size, "called MPI_Abort(%u)", r->mpi_error - 1);
	else if (r->end == END_SIGNAL && name)
		snprintf(to, size, "killed by signal %u (SIG%s)", r->end_code,
			 name);
	else if (r->end == END_STUCK)
		snprintf(to, size, "killed by copse run, since the job hung");
	else if (r->end == END_SIGNAL)
		snprintf(to, size, "killed by signal %u", r->end_code);
	else if (r->end == END_EXIT && r->end_code)
		snprintf(to, size, "ended with exit status %u", r->end_code);
	else if (r->end == END_UNKNOWN && is_end_missed(run, r))
		snprintf(to, size,
			 "ended unseen: the profile was recovered or "
			 "its process still runs");
	else if (r->end == END_UNKNOWN && is_copy_of_live_profile(run, r))
		snprintf(to, size,
			 "still ran when the profile was copied: copse recover "
			 "gets what is missing");
}

/* Whether it is a rank, or, beside ranks, another process. */
static bool is_rank(const struct run *run, size_t index)
{
	return run->world && index < run->member_count;
}

static bool same_fate(const struct run *run, size_t i, size_t j)
{
	const struct run_rank *a = &run->ranks[i], *b = &run->ranks[j];

	return a->end == b->end && a->end_code == b->end_code &&
	       a->mpi_error == b->mpi_error &&
	       is_rank(run, i) == is_rank(run, j);
}

/* Of one that did not end as it, or a launcher, wanted. */
static char *place_of_fate(const struct paths *paths, size_t process,
			   size_t count)
{
	const struct run_rank *r = &paths->run->ranks[process];

	return count == 1 && r->end == END_SIGNAL && r->end_code != SIGTERM
		       ? ends_last_place(paths, process)
		       : strdup("");
}

/* One sentence for all processes with the fate of the first. */
static void one_fate(struct report *report, const struct paths *paths,
		     size_t first, uint32_t *picked)
{
	const struct run *run = paths->run;
	bool rank = is_rank(run, first);
	const char *noun = rank ? "Rank" : "Process", *be = "";
	size_t count = 0;
	char text[128];
	char *list, *place;

	process_fate(run, &run->ranks[first], text, sizeof(text));
	for (size_t i = first; i < run->rank_count; i++)
		if (same_fate(run, first, i))
			picked[count++] = (uint32_t)i;
	list = processes_list(run, picked, count);
	if (!strncmp(text, "killed", strlen("killed")))
		be = count == 1 ? "was " : "were ";
	place = place_of_fate(paths, first, count);
	report->failed |= !list || !place;
	report_line(report, "! %s%s %s %s%s%s.", noun,
		    count == 1 ? ""
		    : rank     ? "s"
			       : "es",
		    list ? list : "", be, text, place ? place : "");
	free(list);
	free(place);
}

static bool has_fate_of_earlier(const struct run *run, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_fate(run, i, j))
			return true;
	return false;
}

/* What a launcher does to the others comes last, and what nobody saw. */
static bool is_by_launcher(const struct run_rank *r)
{
	return r->end == END_UNKNOWN || r->end == END_STUCK ||
	       (r->end == END_SIGNAL && r->end_code == SIGTERM);
}

static void say_fates(struct report *report, const struct paths *paths,
		      uint32_t *picked, bool by_launcher, size_t *kinds)
{
	const struct run *run = paths->run;
	char text[128];

	for (size_t i = 0; i < run->rank_count && *kinds < KINDS_SHOWN; i++) {
		process_fate(run, &run->ranks[i], text, sizeof(text));
		if (!*text || is_by_launcher(&run->ranks[i]) != by_launcher ||
		    has_fate_of_earlier(run, i))
			continue;
		one_fate(report, paths, i, picked);
		++*kinds;
	}
}

void exit_status_findings(struct report *report, const struct paths *paths)
{
	const struct run *run = paths->run;
	uint32_t *picked = calloc(run->rank_count + 1, sizeof(*picked));
	size_t kinds = 0;

	if (*run->batch.end)
		report_line(report, "! %s ended the job: %s.",
			    run->batch.manager, run->batch.end);
	report->failed |= !picked;
	if (picked) {
		say_fates(report, paths, picked, false, &kinds);
		say_fates(report, paths, picked, true, &kinds);
	}
	free(picked);
	for (size_t i = 0; i < run->problem_count; i++) {
		size_t left = run->problem_count - i;

		if (i >= PROBLEMS_SHOWN && left > 1) {
			report_line(report, "! And %zu more files or ranks.",
				    left);
			break;
		}
		report_line(report, "! %s: %s.",
			    str_at(&run->strings, run->problems[i].source),
			    str_at(&run->strings, run->problems[i].text));
	}
}
