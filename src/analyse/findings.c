/* SPDX-License-Identifier: BSD-3-Clause */
/* findings.c - sentences on waiting and on what an even load would save. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/confidence.h"
#include "analyse/elapsed.h"
#include "analyse/findings.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/own-paths.h"
#include "analyse/path-imbalance.h"
#include "analyse/phrase.h"
#include "analyse/processes.h"
#include "analyse/rank-distribution.h"
#include "analyse/value.h"
#include "base/err.h"
#include "run/values.h"

#define UNEVEN           0.05 /* ranks differ so much in MPI's share, or more */
#define MUCH_MPI         0.1  /* a share of MPI worth a sentence */
#define WORTHWHILE       0.03 /* of the run: recoverable, worth a sentence */
#define RANKS_WORTHWHILE 0.1  /* the same of MPI's: rules tell who waited */
#define FRAMES           3

enum {
	CANDIDATES = 16 /* for what an even load would save */
};

struct balance {
	const struct paths *paths;
	const struct run *run;
	const struct efficiency *e;
	struct skews skews;
	double in_mpi;               /* seconds of those that wait */
	uint32_t *waiting, *working; /* ranks, by their share of MPI */
	size_t waiting_count, working_count;
	bool waits_said;
	bool *is_working; /* of each of run->ranks */
};

static void part(struct balance *b)
{
	double middle = (b->e->mpi_min + b->e->mpi_max) / 2;
	bool uneven = b->e->mpi_max - b->e->mpi_min >= UNEVEN;

	for (size_t i = 0; i < b->skews.process_count; i++) {
		uint32_t rank = b->skews.processes[i];

		b->is_working[rank] =
			uneven && efficiency_mpi(&b->run->ranks[rank]) < middle;
		if (b->is_working[rank])
			b->working[b->working_count++] = rank;
		else
			b->waiting[b->waiting_count++] = rank;
		if (!b->is_working[rank])
			b->in_mpi += (double)b->run->ranks[rank].mpi_time_ns;
	}
}

/* What all ranks have at the call sites of a path. */
static double *site_totals(const struct balance *b, const struct run_metric *m)
{
	double *totals = calloc(b->paths->count + 1, sizeof(*totals));

	for (uint32_t n = 0; m && totals && n < b->run->node_count; n++)
		totals[b->paths->of[n]] += m->stats[n].sum;
	return totals;
}

/*
 * The call site where the waiting ranks were longest, into *best; 0: none.  Of
 * those that cannot be it, because all ranks together were not so long there,
 * nothing is read.
 */
static int longest_site(const struct balance *b, double *sums, uint32_t *best)
{
	const struct run_metric *m = run_metric(b->run, "mpi.time");
	double *totals = site_totals(b, m);
	struct value_buffer buffer = { 0 };
	int err = totals ? 0 : no_memory();

	*best = 0;
	for (uint32_t n = 0; m && n < b->run->node_count && !err; n++) {
		uint32_t path = b->paths->of[n];
		const struct run_value *values;
		size_t count;

		if (b->run->nodes[n].kind != RUN_MPI ||
		    totals[path] <= sums[*best] || sites_is_init(b->run, n))
			continue;
		err = values_of_node(b->run, (size_t)(m - b->run->metrics), n,
				     &buffer, &values, &count);
		for (size_t v = 0; v < count && !err; v++)
			if (!b->is_working[values[v].rank] &&
			    !run_is_other_job(&b->run->ranks[values[v].rank]))
				sums[path] += (double)values[v].value;
		if (sums[path] > sums[*best])
			*best = path;
	}
	value_buffer_fini(&buffer);
	free(totals);
	return err;
}

static bool may_be_culprit(const struct balance *b, const struct skew *skew)
{
	return !skew->explained && (b->e->ranks || skew->min > 0) &&
	       !paths_waits(b->paths, skew->path);
}

/* Of a path and one that it calls, the latter, where it has most of it. */
static bool is_worse(const struct paths *paths, const struct skew *a,
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
static int culprit(const struct balance *b, struct skew *to)
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
		err = skew_outside_mpi(
			&b->skews,
			paths_own(b->paths, paths_looker(b->paths, with->path)),
			values, &skew);
		if (!err && is_worse(b->paths, &skew, to))
			*to = skew;
		tried++;
	}
	free(values);
	return err;
}

/* The share of MPI that so many ranks have on average. */
static double mean_share(const struct balance *b, const uint32_t *list,
			 size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += efficiency_mpi(&b->run->ranks[list[i]]);
	return value_ratio(sum, (double)count);
}

static const char *ranks(size_t count)
{
	return count == 1 ? "ank" : "anks";
}

/*
 * ", while rank 3 computed in …", or "; rank 3 spent 30 %" where that is not
 * much less time in MPI; to be freed.
 */
static char *meanwhile_others(const struct balance *b, const struct skew *worst)
{
	double share = mean_share(b, b->working, b->working_count);
	char *who = processes_list(b->run, b->working, b->working_count);
	char *why = worst ? paths_short(b->paths, worst->path, FRAMES) : NULL;
	char *text = NULL;

	if (who && share > mean_share(b, b->waiting, b->waiting_count) / 2)
		text = str_format("; r%s %s spent %.0f %%",
				  ranks(b->working_count), who, 100 * share);
	else if (who)
		text = str_format(", while r%s %s computed%s%s",
				  ranks(b->working_count), who,
				  why ? " in " : "", why ? why : "");
	free(who);
	free(why);
	return text;
}

/* ", most in MPI_Allreduce ← norm" of so much; to be freed. */
static char *longest_wait(const struct balance *b, uint32_t site, double ns)
{
	double share = fmin(value_ratio(ns, b->in_mpi), 1);
	char *where = paths_short(b->paths, site, FRAMES), *text = NULL;

	if (where && share >= 0.5)
		text = str_format(", most in %s", where);
	else if (where)
		text = str_format(", %.0f %% of that, the largest part, in %s",
				  100 * share, where);
	free(where);
	return text;
}

/* "Ranks 0–2 spent 41 % … in MPI_Allreduce ← norm, while rank 3 …" */
static void waiting(struct report *report, const struct balance *b, char *where,
		    const struct skew *worst)
{
	double share = mean_share(b, b->waiting, b->waiting_count);
	char *who = processes_list(b->run, b->waiting, b->waiting_count);
	char *others = b->working_count ? meanwhile_others(b, worst) : NULL;

	if (!who || !where || (b->working_count && !others))
		report->failed = true;
	else if (!b->working_count)
		report_line(report,
			    "• The ranks spent %.0f %% of their time in MPI%s.",
			    100 * share, where);
	else
		report_line(
			report, "• R%s %s spent %.0f %% of %s time in MPI%s%s.",
			ranks(b->waiting_count), who, 100 * share,
			b->waiting_count == 1 ? "its" : "their", where, others);
	free(who);
	free(others);
	free(where);
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
static char *shape(const struct balance *b, const struct skew *worst)
{
	size_t count = b->skews.process_count;
	double *values = calloc(count + 1, sizeof(*values));
	struct shapes shapes = { 0 };
	struct shape shape;
	char *text = NULL, *said = NULL;

	if (values &&
	    !shapes_init(&shapes, b->run, b->skews.processes, count, 0)) {
		struct skew skew;

		if (!skew_outside_mpi(&b->skews, worst->path, values, &skew) &&
		    !shape_of(&shape, &shapes, values))
			text = shape_text(&shape, &shapes, values);
		if (text)
			said = shape.kind >= SHAPE_HOST &&
					       shape.kind <= SHAPE_FEW
				       ? str_format(" (%s)", text)
				       : strdup("");
	}
	free(text);
	free(values);
	shapes_fini(&shapes);
	return said;
}

static void say_recoverable(struct report *report, const struct balance *b,
			    const struct skew *worst)
{
	char *path = recoverable_path(b, worst);
	char *how = path ? shape(b, worst) : NULL;
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

static bool has_few_samples(const struct run *run)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < run->rank_count; i++)
		samples += run->ranks[i].samples;
	return samples < CONFIDENCE_FEW;
}

static int say_findings(struct report *report, const struct balance *b,
			double *sums)
{
	struct skew skew;
	const struct skew *worst = &skew;
	uint32_t site = 0;
	double elapsed = b->e->elapsed;
	int err = b->e->ranks ? 0 : elapsed_of(&elapsed, b->run);

	if (!err)
		err = culprit(b, &skew);
	/* The metric may be that of several threads, which run at once. */
	if (b->e->ranks)
		skew.recoverable = fmin(skew.recoverable,
					b->e->useful_max - b->e->useful_mean);
	if (err ||
	    skew.recoverable <
		    (b->e->ranks ? RANKS_WORTHWHILE : WORTHWHILE) * elapsed ||
	    has_few_samples(b->run))
		worst = NULL;
	if (!b->waits_said && !err &&
	    (b->working_count ||
	     mean_share(b, b->waiting, b->waiting_count) >= MUCH_MPI))
		err = longest_site(b, sums, &site);
	if (site && !err)
		waiting(report, b, longest_wait(b, site, sums[site]),
			worst && b->is_working[worst->max_process] ? worst
								   : NULL);
	if (worst && !err)
		say_recoverable(report, b, worst);
	return err;
}

int findings_balance(struct report *report, const struct paths *paths,
		     const struct efficiency *e,
		     const struct run_metric *metric, bool waits_said)
{
	struct balance b = { .paths = paths,
			     .run = paths->run,
			     .e = e,
			     .waits_said = waits_said };
	double *sums = calloc(paths->count + 1, sizeof(*sums));
	int err;

	if (!metric || metric->unit != UNIT_NS) {
		free(sums);
		return 0;
	}
	err = skew_init(&b.skews, paths, metric);
	if (err)
		goto out;
	b.waiting = calloc(b.skews.process_count + 1, sizeof(*b.waiting));
	b.working = calloc(b.skews.process_count + 1, sizeof(*b.working));
	b.is_working = calloc(b.run->rank_count + 1, sizeof(*b.is_working));
	if (!sums || !b.waiting || !b.working || !b.is_working) {
		err = no_memory();
		goto out;
	}
	if (b.skews.process_count > 1) {
		part(&b);
		err = say_findings(report, &b, sums);
	}
out:
	free(sums);
	free(b.waiting);
	free(b.working);
	free(b.is_working);
	skew_fini(&b.skews);
	return err;
}
