/* SPDX-License-Identifier: BSD-3-Clause */
/* gil.c - see thread-waits.h. */
#include "analyse/threads/thread-waits.h"

#include <stdlib.h>

#include "analyse/paths/own-paths.h"
#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/err.h"

#define WORTH  0.05 /* of the elapsed time: waiting that is worth a sentence */
#define TURNS  0.1  /* of the time it is held, by others than one thread */
#define LOCKED 0.8  /* of the elapsed time it is held */
#define FRAMES 3

/* Seconds, of the processes that ran Python. */
struct gil_times {
	double held, waited, elapsed;
	double first; /* held by the thread of each that held it most */
};

static struct gil_times gil_times_of(const struct run *run)
{
	struct gil_times t = { 0 };

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		if (!r->gil_held_ns)
			continue;
		t.held += (double)r->gil_held_ns / 1e9;
		t.waited += (double)r->gil_wait_ns / 1e9;
		t.first += (double)r->gil_held_most_ns / 1e9;
		t.elapsed += (double)r->elapsed_ns / 1e9;
	}
	return t;
}

/* Where it was held longest, "crunch ← main"; to be freed, NULL: no memory. */
static char *gil_holder(const struct paths *paths, double *share)
{
	const struct run_metric *held = run_metric(paths->run, "gil.held");
	double *own = calloc(paths->count + 1, sizeof(*own));
	double *said = calloc(paths->count + 1, sizeof(*said)), sum = 0;
	uint32_t best = 0;
	char *text = NULL;

	if (own && said && held) {
		paths_values(paths, held, own, NULL);
		for (uint32_t p = 1; p < paths->count; p++) {
			said[paths_own(paths, p)] += own[p];
			sum += own[p];
		}
		for (uint32_t p = 1; p < paths->count; p++)
			best = said[p] > said[best] ? p : best;
		*share = value_ratio(said[best], sum);
		text = paths_short(paths, best, FRAMES);
	}
	free(own);
	free(said);
	return text;
}

static int say_waiting(struct report *report, const struct paths *paths,
		       const struct gil_times *t)
{
	double share = 0;
	char *holder = gil_holder(paths, &share);
	char waited[32];

	if (!holder)
		return no_memory();
	report_line(report,
		    "• Threads that were to run Python waited %.0f %% of that "
		    "time for the GIL, %s in all. It was held %.0f %% of the "
		    "elapsed time, %.0f %% of that in %s. One thread at a time "
		    "runs Python: use processes, or C that releases the GIL.",
		    100 * t->waited / (t->held + t->waited),
		    phrase_time(waited, t->waited), 100 * t->held / t->elapsed,
		    100 * share, holder);
	free(holder);
	return 0;
}

int gil_say(struct report *report, const struct paths *paths)
{
	struct gil_times t = gil_times_of(paths->run);

	if (!t.elapsed)
		return 0;
	if (t.waited > WORTH * t.elapsed)
		return say_waiting(report, paths, &t);
	if (!t.waited && t.held > LOCKED * t.elapsed &&
	    t.held - t.first > TURNS * t.held)
		report_line(report,
			    "– Python's GIL was held %.0f %% of the elapsed "
			    "time, by several threads in turn: copse run -e "
			    "wall tells how long others waited for it.",
			    100 * t.held / t.elapsed);
	return 0;
}

void gil_table(struct report *report, const struct run *run)
{
	struct gil_times t = gil_times_of(run);
	bool mpi = run->world;

	report_table(report, "gil", t.elapsed ? "the GIL of Python" : NULL);
	report_column(report, "rank", mpi ? "rank" : NULL, COLUMN_COUNT);
	report_column(report, "pid", mpi ? NULL : "process", COLUMN_COUNT);
	report_column(report, "elapsed", "elapsed", COLUMN_SECONDS);
	report_column(report, "held", "held", COLUMN_SECONDS);
	report_column(report, "held_share", "of elapsed", COLUMN_SHARE);
	report_column(report, "waited", "waited for", COLUMN_SECONDS);
	report_column(report, "waited_share", "of both", COLUMN_SHARE);
	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		double held = (double)r->gil_held_ns / 1e9;
		double waited = (double)r->gil_wait_ns / 1e9;
		double elapsed = (double)r->elapsed_ns / 1e9;

		if (!r->gil_held_ns)
			continue;
		value_count(report, r->rank >= 0 ? r->rank : NO_VALUE);
		report_count(report, r->pid);
		report_number(report, elapsed);
		report_number(report, held);
		report_number(report, value_ratio(held, elapsed));
		report_number(report, waited);
		report_number(report, value_ratio(waited, held + waited));
	}
}
