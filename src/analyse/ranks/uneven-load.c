/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c - a sentence on what an even load would save. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/account.h"
#include "analyse/base/elapsed.h"
#include "analyse/ranks/rank-findings.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/paths/own-paths.h"
#include "analyse/ranks/path-imbalance.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/ranks/rank-distribution.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "run/values.h"

#define WORTHWHILE 0.03 /* of the run: recoverable, worth a sentence */
#define RANKS      0.1  /* the same of MPI's */
#define FRAMES     3

enum {
	CANDIDATES = 16 /* for what an even load would save */
};

struct balance {
	const struct paths *paths;
	const struct run *run;
	const struct efficiency *e;
	struct skews skews;
};

static bool may_be_culprit(const struct balance *b, const struct skew *skew)
{
	return !skew->explained && (b->e->ranks || skew->min > 0) &&
	       !paths_waits(b->paths, skew->path);
}

/* Of a path and one that it calls, the latter, where it has most of it. */
static bool saves_more_below(const struct paths *paths, const struct skew *a,
			     const struct skew *b)
{
	bool calls = a->path < b->path && b->path < paths->at[a->path].end;
	bool is_called = b->path < a->path && a->path < paths->at[b->path].end;

	if (is_called)
		return a->recoverable >= SKEW_EXPLAINED * b->recoverable;
	if (calls)
		return b->recoverable < SKEW_EXPLAINED * a->recoverable;
	return a->recoverable > b->recoverable;
}

/*
 * The path whose even load outside MPI would save most, of the first few that
 * are uneven with what they wait; *to without recoverable: none.  Processes
 * without MPI that do not all take it do different things, and those that ran
 * one after the other did not wait for each other.
 */
static int find_uneven_path(const struct balance *b, struct skew *to)
{
	double *values = calloc(b->skews.process_count + 1, sizeof(*values));
	int err = values ? 0 : no_memory();
	size_t tried = 0;
	bool same = true;

	*to = (struct skew){ 0 };
	if (!err && !b->e->ranks)
		err = elapsed_of_same_work(&same, b->run);
	if (!same || (!b->e->ranks && !elapsed_together(b->run)))
		tried = CANDIDATES;
	for (size_t i = 0; i < b->skews.count && tried < CANDIDATES && !err;
	     i++) {
		const struct skew *with = &b->skews.at[i];
		struct skew skew;

		if (!may_be_culprit(b, with))
			continue;
		err = imbalance_outside_mpi(
			&b->skews,
			paths_own(b->paths, paths_looker(b->paths, with->path)),
			values, &skew);
		if (!err && saves_more_below(b->paths, &skew, to))
			*to = skew;
		tried++;
	}
	free(values);
	return err;
}

/* "solve ← main, mostly exp,": where that was; to be freed. */
static char *recoverable_path(const struct balance *b, const struct skew *worst)
{
	double *own = calloc(b->paths->count + 1, sizeof(*own)), total = 0;
	uint32_t mostly;
	char *path, *text;

	if (!own)
		return NULL;
	paths_values(b->paths, b->skews.metric, own, NULL);
	for (uint32_t p = worst->path; p < b->paths->at[worst->path].end; p++)
		total += own[p];
	mostly = paths_mostly(b->paths, worst->path, own, total);
	free(own);
	path = paths_short_mostly(b->paths, worst->path, FRAMES, mostly);
	text = path ? str_format("%s%s", path, mostly ? "," : "") : NULL;
	free(path);
	return text;
}

/* " (linear, rising)": what one rank alone does not say; NULL: no memory. */
static char *imbalance_shape(const struct balance *b, const struct skew *worst)
{
	size_t count = b->skews.process_count;
	double *values = calloc(count + 1, sizeof(*values));
	struct shapes shapes = { 0 };
	struct shape shape;
	char *text = NULL, *said = NULL;

	if (values && !distributions_init(&shapes, b->run, b->skews.processes,
					  count, 0)) {
		struct skew skew;

		if (!imbalance_outside_mpi(&b->skews, worst->path, values,
					   &skew) &&
		    !distribution_of(&shape, &shapes, values))
			text = distribution_text(&shape, &shapes, values);
		if (text)
			said = shape.kind >= SHAPE_HOST &&
					       shape.kind <= SHAPE_FEW
				       ? str_format(" (%s)", text)
				       : strdup("");
	}
	free(text);
	free(values);
	distributions_fini(&shapes);
	return said;
}

static void say_recoverable(struct report *report, const struct balance *b,
			    const struct skew *worst)
{
	char *path = recoverable_path(b, worst);
	char *how = path ? imbalance_shape(b, worst) : NULL;
	char saved[32], most[32], mean[32];

	if (!how) {
		free(path);
		report->failed = true;
		return;
	}
	report_line(report,
		    "• %s recoverable: %s took %s %s %s %llu, %s on average%s.",
		    phrase_time(saved, worst->recoverable), path,
		    phrase_time(most, worst->max), b->run->world ? "on" : "in",
		    processes_noun(b->run),
		    (unsigned long long)processes_number(b->run,
							 worst->max_process),
		    phrase_time(mean, worst->mean), how);
	free(path);
	free(how);
}

int uneven_findings(struct report *report, const struct paths *paths,
		    const struct efficiency *e, const struct run_metric *metric)
{
	struct balance b = { .paths = paths, .run = paths->run, .e = e };
	double elapsed = e->elapsed, least = e->ranks ? RANKS : WORTHWHILE;
	struct skew worst = { 0 };
	int err = e->ranks ? 0 : elapsed_of(&elapsed, b.run);

	if (err || !metric || metric->unit != UNIT_NS ||
	    !account_is_enough(b.run))
		return err;
	err = imbalance_init(&b.skews, paths, metric);
	if (!err && b.skews.process_count > 1)
		err = find_uneven_path(&b, &worst);
	/* The metric may be that of several threads, which run at once. */
	if (e->ranks)
		worst.recoverable =
			fmin(worst.recoverable, e->useful_max - e->useful_mean);
	if (!err && worst.recoverable > least * elapsed)
		say_recoverable(report, &b, &worst);
	imbalance_fini(&b.skews);
	return err;
}
