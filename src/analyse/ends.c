/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - sentences on processes that did not end well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/findings.h"
#include "analyse/value.h"
#include "profile/profile.h"

#define PROBLEMS_SHOWN 5

/*
 * A process that a rank has started ends unseen by copse, and that is well;
 * so is one beside others whose end was seen, in a run without MPI.
 */
static bool is_missed(const struct run *run, const struct run_rank *r)
{
	if (run->world)
		return r->mpi_ns != 0;
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].end != END_UNKNOWN)
			return false;
	return true;
}

/* What became of a process, "" when it ended well. */
static void fate(const struct run *run, const struct run_rank *r, char *to,
		 size_t size)
{
	const char *name = sigabbrev_np((int)r->end_code);

	*to = 0;
	if (r->mpi_error)
		snprintf(to, size, "called MPI_Abort(%u)", r->mpi_error - 1);
	else if (r->end == END_SIGNAL && name)
		snprintf(to, size, "killed by signal %u (SIG%s)", r->end_code,
			 name);
	else if (r->end == END_SIGNAL)
		snprintf(to, size, "killed by signal %u", r->end_code);
	else if (r->end == END_EXIT && r->end_code)
		snprintf(to, size, "ended with exit status %u", r->end_code);
	else if (r->end == END_UNKNOWN && is_missed(run, r))
		snprintf(to, size,
			 "ended unseen: the profile was recovered or "
			 "its process still runs");
}

static bool same_fate(const struct run_rank *a, const struct run_rank *b)
{
	return a->end == b->end && !a->mpi_ns == !b->mpi_ns &&
	       a->end_code == b->end_code && a->mpi_error == b->mpi_error;
}

/* One sentence for all processes with the fate of the first. */
static void one_fate(struct report *report, const struct run *run, size_t first,
		     uint32_t *picked)
{
	const struct run_rank *r = run->ranks;
	size_t count = 0;
	char text[128], noun[32];
	char *list;

	fate(run, &r[first], text, sizeof(text));
	for (size_t i = first; i < run->rank_count; i++)
		if (same_fate(&r[first], &r[i]))
			picked[count++] = (uint32_t)i;
	list = value_list(run, picked, count);
	value_plural(noun, count, value_noun(run));
	/* "12 ranks": the number is said by the list. */
	report_line(report, "! %c%s %s %s%s.", run->world ? 'R' : 'P',
		    strchr(noun, ' ') + 2, list ? list : "",
		    strncmp(text, "killed", 6) ? ""
		    : count == 1               ? "was "
					       : "were ",
		    text);
	free(list);
}

static bool seen_before(const struct run *run, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (same_fate(&run->ranks[i], &run->ranks[j]))
			return true;
	return false;
}

void findings_ends(struct report *report, const struct run *run)
{
	uint32_t *picked = calloc(run->rank_count + 1, sizeof(*picked));
	char text[128];
	size_t kinds = 0;

	for (size_t i = 0; picked && i < run->rank_count && kinds < 8; i++) {
		fate(run, &run->ranks[i], text, sizeof(text));
		if (!*text || seen_before(run, i))
			continue;
		one_fate(report, run, i, picked);
		kinds++;
	}
	free(picked);
	for (size_t i = 0; i < run->problem_count; i++) {
		if (i == PROBLEMS_SHOWN) {
			report_line(report, "! and %zu more files or ranks.",
				    run->problem_count - i);
			break;
		}
		report_line(report, "! %s: %s.",
			    str_at(&run->strings, run->problems[i].source),
			    str_at(&run->strings, run->problems[i].text));
	}
}
