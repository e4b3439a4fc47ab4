/* SPDX-License-Identifier: BSD-3-Clause */
/* path-imbalance.c - from the sums of paths to what an even load would save. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/ranks/path-imbalance.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/comparison.h"
#include "run/path-sums.h"

/* Of the largest imbalance: MPI calls with less are not worth being read. */
#define SMALL 0.01

int imbalance_values(const struct skews *s, uint32_t path, double *to)
{
	const struct run *run = s->paths->run;
	uint64_t *row = calloc(run->rank_count + 1, sizeof(*row));
	int err = row ? path_row(s->paths, s->metric, path, row) : no_memory();

	for (size_t i = 0; i < s->process_count && !err; i++)
		to[i] = value_of(s->metric->unit, (double)row[s->processes[i]]);
	free(row);
	return err;
}

/* Maximum less mean, in the metric's own unit. */
static double uneven_time(const struct skews *s, const struct path_sum *sum)
{
	return (double)sum->max - sum->sum / (double)s->process_count;
}

/* MPI calls and OpenMP's waiting below a path, but what matters little. */
static int subtract_mpi(const struct skews *s, uint32_t path, double *from,
			double *room)
{
	const struct paths *paths = s->paths;
	double least = SMALL * s->most;
	int err = 0;

	for (uint32_t p = path; p < paths->at[path].end && !err;) {
		const struct path *at = &paths->at[p];
		bool waits = paths_is_waiting(&paths->run->nodes[at->node]);

		if (waits && (double)s->sums[p].max >= least) {
			err = imbalance_values(s, p, room);
			for (size_t i = 0; i < s->process_count && !err; i++)
				from[i] -= room[i];
		}
		p = waits ? at->end : p + 1;
	}
	return err;
}

static int path_outside_mpi(const struct skews *s, uint32_t path, double *to)
{
	double *room = calloc(s->process_count + 1, sizeof(*room));
	int err = room ? imbalance_values(s, path, to) : no_memory();

	if (!err)
		err = subtract_mpi(s, path, to, room);
	free(room);
	return err;
}

/* What the most that one has falls by when all have the mean of values[]. */
static double recoverable_time(const struct skews *s, const double *values,
			       double mean)
{
	double is = 0, even = 0;

	for (size_t i = 0; i < s->process_count; i++) {
		is = fmax(is, s->outside[i]);
		even = fmax(even, s->outside[i] - values[i] + mean);
	}
	return fmax(is - even, 0);
}

int imbalance_outside_mpi(const struct skews *s, uint32_t path, double *to,
			  struct skew *skew)
{
	struct skew k = { .path = path };
	double sum = 0;
	int err = 0;

	if (paths_waits(s->paths, path))
		memset(to, 0, s->process_count * sizeof(*to));
	else
		err = path_outside_mpi(s, path, to);
	for (size_t i = 0, most = 0; i < s->process_count && !err; i++) {
		sum += to[i];
		most = to[i] > to[most] ? i : most;
		k.min = i ? fmin(k.min, to[i]) : to[i];
		k.max = to[most];
		k.max_process = s->processes[most];
	}
	k.mean = value_ratio(sum, (double)s->process_count);
	k.imbalance = k.max - k.mean;
	if (!err)
		k.recoverable = recoverable_time(s, to, k.mean);
	*skew = k;
	return err;
}

static struct skew summarize_skew(const struct skews *s, uint32_t path,
				  const struct path_sum *sum)
{
	enum unit unit = s->metric->unit;
	struct skew k = {
		.path = path,
		.max_process = sum->max_rank,
		.mean = value_of(unit, sum->sum) / (double)s->process_count,
		.min = value_of(unit, (double)sum->min),
		.max = value_of(unit, (double)sum->max),
	};

	k.imbalance = k.max > k.mean ? k.max - k.mean : 0;
	return k;
}

static int by_skew(const void *a, const void *b)
{
	const struct skew *x = a, *y = b;

	if (x->imbalance != y->imbalance)
		return x->imbalance < y->imbalance ? 1 : -1;
	return ORDER(x->path, y->path);
}

/* Of each path in a clock who looks at it; to be freed, NULL: no memory. */
static uint32_t *find_lookers(const struct paths *paths)
{
	uint32_t *of = calloc(paths->count + 1, sizeof(*of));

	for (uint32_t p = 1; of && p < paths->count; p++) {
		uint32_t above = paths->at[p].parent;

		if (of[above])
			of[p] = of[above];
		else if (paths_is_clock(paths->run, paths->at[p].node))
			of[p] = above;
	}
	return of;
}

/*
 * A path comes before its callees.  A clock explains nothing: it is explained
 * by who looks at it, where that one differs as much.
 */
static int compare_all(struct skews *s)
{
	const struct paths *paths = s->paths;
	double *callee = calloc(paths->count + 1, sizeof(*callee));
	uint32_t *looker = find_lookers(paths);
	struct path_sum *sums = s->sums = path_sums(paths, s->metric);
	bool room = callee && looker;

	for (uint32_t p = (uint32_t)paths->count; room && sums && p-- > 1;) {
		uint32_t parent = paths->at[p].parent, by = looker[p];
		struct skew k = summarize_skew(s, p, &sums[p]);
		double least = SKEW_EXPLAINED * k.imbalance;

		s->most = fmax(s->most, uneven_time(s, &sums[p]));
		k.explained =
			callee[p] >= least ||
			(by &&
			 summarize_skew(s, by, &sums[by]).imbalance >= least);
		if (k.max > 0)
			s->at[s->count++] = k;
		if ((!by || looker[parent]) && k.imbalance > callee[parent])
			callee[parent] = k.imbalance;
	}
	qsort(s->at, s->count, sizeof(*s->at), by_skew);
	free(callee);
	free(looker);
	if (!room)
		return no_memory();
	return sums ? path_outside_mpi(s, 0, s->outside) : -EIO;
}

int imbalance_init(struct skews *s, const struct paths *paths,
		   const struct run_metric *metric)
{
	const struct run *run = paths->run;
	int err;

	*s = (struct skews){ .paths = paths, .metric = metric };
	s->processes = processes_members(run, &s->process_count);
	s->at = calloc(paths->count + 1, sizeof(*s->at));
	s->outside = calloc(s->process_count + 1, sizeof(*s->outside));
	if (!s->processes || !s->at || !s->outside) {
		imbalance_fini(s);
		return no_memory();
	}
	err = s->process_count ? compare_all(s) : 0;
	if (err)
		imbalance_fini(s);
	return err;
}

void imbalance_fini(struct skews *s)
{
	free(s->processes);
	free(s->sums);
	free(s->outside);
	free(s->at);
	*s = (struct skews){ 0 };
}
