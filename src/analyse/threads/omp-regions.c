/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-regions.c - see omp-regions.h. */
#include "analyse/threads/omp-regions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"

#define GUILTY        0.65 /* of what was waited for somebody */
#define WORTH_SAYING  0.02 /* of the time of all regions */
#define CULPRIT_SHARE 0.4  /* of what was waited for somebody */

static const char *const omp_names[OMP_VALUES] = {
	[OMP_REGIONS] = "omp.regions", [OMP_MEMBERS] = "omp.members",
	[OMP_TIME] = "omp.time",       [OMP_WORK] = "omp.work",
	[OMP_BARRIER] = "omp.barrier", [OMP_LOCK] = "omp.lock",
	[OMP_LATE] = "omp.late",       [OMP_LATE_MASTER] = "omp.late.master",
};

double omp_region_waited(const struct omp_region *r)
{
	return r->at[OMP_TIME] - r->at[OMP_WORK];
}

double omp_region_end_wait(const struct omp_region *r)
{
	return omp_region_waited(r) - r->at[OMP_BARRIER] - r->at[OMP_LOCK];
}

double omp_region_threads(const struct omp_region *r)
{
	return value_ratio(r->at[OMP_MEMBERS], r->at[OMP_REGIONS]);
}

static double omp_value_of_node(const struct run *run, enum omp_value value,
				uint32_t node)
{
	const struct run_metric *m = run_metric(run, omp_names[value]);

	return m ? value_node(m, node) : 0;
}

/* What is within another region is work of that one. */
static bool is_outermost(const struct run *run, uint32_t node)
{
	if (run->nodes[node].kind != RUN_PARALLEL)
		return false;
	while (node) {
		node = run->nodes[node].parent;
		if (run->nodes[node].kind == RUN_PARALLEL)
			return false;
	}
	return true;
}

struct omp_outermost omp_outermost(const struct run *run)
{
	struct omp_outermost all = { 0 };

	for (uint32_t i = 1; i < run->node_count; i++) {
		double time;

		if (!is_outermost(run, i))
			continue;
		time = omp_value_of_node(run, OMP_TIME, i);
		all.elapsed += value_ratio(
			time * omp_value_of_node(run, OMP_REGIONS, i),
			omp_value_of_node(run, OMP_MEMBERS, i));
		all.time += time;
		all.work += omp_value_of_node(run, OMP_WORK, i);
	}
	return all;
}

static void add_omp_values(struct omp_region *to, const struct run *run,
			   uint32_t node)
{
	double time = 0;

	for (int v = 0; v < OMP_VALUES; v++) {
		double value = omp_value_of_node(run, (enum omp_value)v, node);

		to->at[v] += value;
		time = v == OMP_TIME ? value : time;
	}
	if (time >= to->longest) {
		to->longest = time;
		to->node = node;
	}
}

/*
 * By function and file, which the place of the region is in; region_of[]: the
 * one of a path, and 1.
 */
static int sum_omp_regions(struct omp_regions *to, const struct paths *paths,
			   uint32_t *region_of)
{
	const struct run *run = paths->run;
	struct map map = { 0 };
	int err = 0;

	to->at = calloc(run->node_count + 1, sizeof(*to->at));
	if (!to->at)
		return no_memory();
	for (uint32_t i = 0; i < run->node_count && !err; i++) {
		const struct run_node *n = &run->nodes[i];
		uint32_t index;

		if (n->kind != RUN_PARALLEL)
			continue;
		index = map_put(&map, n->function, n->module,
				(uint32_t)to->count);
		if (index == MAP_NONE)
			err = no_memory();
		else if (index == to->count)
			to->count++;
		if (err)
			break;
		add_omp_values(&to->at[index], run, i);
		region_of[paths->of[i]] = index + 1;
	}
	map_fini(&map);
	return err;
}

ORDER_BY(by_omp_waited, struct omp_region,
	 ORDER(omp_region_waited(b), omp_region_waited(a)) ?: ASC(node))

/* Which of the others it was is not known here. */
const char *omp_region_culprit(const struct omp_region *r)
{
	double master = value_ratio(r->at[OMP_LATE_MASTER], r->at[OMP_LATE]);

	if (r->at[OMP_LATE] <= 0 || omp_region_threads(r) < 1.5)
		return NULL;
	if (master >= GUILTY)
		return "thread 0";
	return master <= 1 - GUILTY ? "other threads" : "different threads";
}

/* By chance the master is late in one of `threads` times. */
bool omp_region_by_turns(const struct omp_region *r)
{
	double master = value_ratio(r->at[OMP_LATE_MASTER], r->at[OMP_LATE]);

	return r->at[OMP_LATE] > 0 && master < GUILTY &&
	       master > 0.5 / omp_region_threads(r);
}

/* Each path's blame, by those that stand for it in a sentence. */
static void sum_blame(double *to, const struct paths *paths, double *exclusive)
{
	for (uint32_t p = 1; p < paths->count; p++)
		if (exclusive[p] > 0)
			to[paths_said(paths, p)] += exclusive[p];
}

/* The path is one of the regions around it. */
static void blame_path(struct omp_regions *all, const uint32_t *region_of,
		       const struct paths *paths, uint32_t path, double blame)
{
	for (uint32_t up = path; up; up = paths->at[up].parent) {
		struct omp_region *r =
			region_of[up] ? &all->at[region_of[up] - 1] : NULL;

		if (r && up != path && blame > r->blame) {
			r->blame = blame;
			r->culprit = path;
		}
	}
}

static int find_culprits(struct omp_regions *all, const uint32_t *region_of,
			 const struct paths *paths)
{
	const struct run_metric *m = run_metric(paths->run, "omp.blame");
	double *blame = calloc(2 * paths->count, sizeof(*blame));
	double *said = blame + paths->count;

	if (!blame)
		return no_memory();
	if (m) {
		paths_values(paths, m, blame, NULL);
		sum_blame(said, paths, blame);
	}
	for (uint32_t p = 1; p < paths->count; p++)
		if (said[p] > 0)
			blame_path(all, region_of, paths, p, said[p]);
	free(blame);
	return 0;
}

/* Those that have threads of OpenMP; or else all, as where threads slept. */
static double elapsed_of_processes(const struct run *run)
{
	double with = 0, all = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		const struct run_rank *r = &run->ranks[i];
		double elapsed = (double)r->elapsed_ns / 1e9;

		all += elapsed;
		if (r->openmp.workers_ns)
			with += elapsed;
	}
	return with > 0 ? with : all;
}

/* Seconds in MPI of those nodes that are in no region. */
static int sum_outside_mpi(double *to, const struct run *run)
{
	const struct run_metric *m = run_metric(run, "mpi.time");
	bool *known = calloc(run->node_count + 1, sizeof(*known));

	if (!known)
		return no_memory();
	for (uint32_t i = 1; m && i < run->node_count; i++) {
		int kind = run->nodes[i].kind;

		known[i] = known[run->nodes[i].parent] ||
			   kind == RUN_PARALLEL || kind == RUN_MPI;
		if (kind == RUN_MPI && !known[run->nodes[i].parent])
			*to += value_node(m, i);
	}
	free(known);
	return 0;
}

/* What threads wait for is in no region either: it is not what kept them. */
static int find_outside(struct omp_regions *all, const struct paths *paths)
{
	const struct run_metric *m = run_metric(paths->run, "cpu.time");
	double *time = calloc(2 * paths->count, sizeof(*time));
	double *said = time + paths->count, most = 0;
	bool *inside = calloc(paths->count, sizeof(*inside));
	int err = time && inside ? 0 : no_memory();

	if (!err && m)
		paths_values(paths, m, time, NULL);
	for (uint32_t p = 1; !err && p < paths->count; p++) {
		const struct path *at = &paths->at[p];

		inside[p] = inside[at->parent] ||
			    paths->run->nodes[at->node].kind == RUN_PARALLEL;
		if (inside[p] || paths_waits(paths, p))
			time[p] = 0;
	}
	if (!err)
		sum_blame(said, paths, time);
	for (uint32_t p = 1; !err && p < paths->count; p++) {
		if (said[p] <= most)
			continue;
		most = said[p];
		all->outside_in = p;
	}
	all->outermost = omp_outermost(paths->run);
	all->outside =
		elapsed_of_processes(paths->run) - all->outermost.elapsed;
	if (!err)
		err = sum_outside_mpi(&all->outside_mpi, paths->run);
	all->outside_mpi = fmin(all->outside_mpi, all->outside);
	free(time);
	free(inside);
	return err;
}

int omp_regions_find(struct omp_regions *to, const struct paths *paths)
{
	uint32_t *region_of = calloc(paths->count + 1, sizeof(*region_of));
	int err = region_of ? 0 : no_memory();

	*to = (struct omp_regions){ 0 };
	if (!err)
		err = sum_omp_regions(to, paths, region_of);
	if (!err)
		err = find_culprits(to, region_of, paths);
	if (!err)
		err = find_outside(to, paths);
	free(region_of);
	if (err) {
		omp_regions_fini(to);
		return err;
	}
	qsort(to->at, to->count, sizeof(*to->at), by_omp_waited);
	for (size_t i = 0; i < to->count; i++)
		to->time += to->at[i].at[OMP_TIME];
	return 0;
}

/* The function and its caller, but not the region itself. */
char *omp_region_culprit_in(const struct omp_region *r,
			    const struct paths *paths)
{
	char *text, *region;

	if (!r->culprit || r->blame < CULPRIT_SHARE * r->at[OMP_LATE] ||
	    paths_waits(paths, r->culprit))
		return strdup("");
	text = paths_short(paths, r->culprit, 2);
	region = text ? strstr(text, " ← [parallel") : NULL;
	if (region)
		*region = '\0';
	return text;
}

void omp_regions_fini(struct omp_regions *regions)
{
	free(regions->at);
	*regions = (struct omp_regions){ 0 };
}

/* What most of the waiting was, and what helps against it. */
static const struct omp_remedy {
	const char *where, *advice;
} omp_remedies[] = {
	{ "at its end", "even chunks or schedule(dynamic)" },
	{ "in barriers within", "even shares before each barrier, or fewer" },
	{ "for locks and critical sections", "hold them for less" },
};

static const struct omp_remedy *omp_remedy(const struct omp_region *r)
{
	double end = omp_region_end_wait(r), barrier = r->at[OMP_BARRIER];

	if (r->at[OMP_LOCK] > end && r->at[OMP_LOCK] > barrier)
		return &omp_remedies[2];
	return &omp_remedies[barrier > end];
}

static void say_region(struct report *report, const struct omp_region *r,
		       const char *name, const char *in)
{
	const struct omp_remedy *remedy = omp_remedy(r);
	const char *who =
		remedy == &omp_remedies[2] ? NULL : omp_region_culprit(r);
	char would[32];

	report_line(report,
		    "• %s: %.0f threads, %.0f %% of their time waited, most "
		    "%s%s%s%s%s: %s would make it %s shorter.",
		    name, omp_region_threads(r),
		    100 * omp_region_waited(r) / r->at[OMP_TIME], remedy->where,
		    who ? " for " : "", who ? who : "",
		    who && *in ? " in " : "", who ? in : "", remedy->advice,
		    phrase_time(would, value_ratio(omp_region_waited(r),
						   omp_region_threads(r))));
}

void omp_regions_say(struct report *report, const struct paths *paths,
		     const struct omp_regions *all)
{
	const struct omp_region *r = &all->at[0];
	const struct run *run = paths->run;
	char *in;

	if (!all->count || omp_region_waited(r) <= WORTH_SAYING * all->time)
		return;
	in = omp_region_culprit_in(r, paths);
	say_region(report, r,
		   str_at(&run->strings, run->nodes[r->node].function),
		   in ? in : "");
	free(in);
}
