/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-regions.c - see omp-regions.h. */
#include "analyse/omp-regions.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/phrase.h"
#include "analyse/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"

#define GUILTY        0.65 /* of what was waited for somebody */
#define WORTH_SAYING  0.02 /* of the time of all regions */
#define CULPRIT_SHARE 0.4  /* of what was waited for somebody */

static const char *const omp_names[OMP_VALUES] = {
	[OMP_REGIONS] = "omp.regions",
	[OMP_MEMBERS] = "omp.members",
	[OMP_TIME] = "omp.time",
	[OMP_WORK] = "omp.work",
	[OMP_BARRIER] = "omp.barrier",
	[OMP_LATE] = "omp.late",
	[OMP_LATE_MASTER] = "omp.late.master",
};

double omp_region_waited(const struct omp_region *r)
{
	return r->at[OMP_TIME] - r->at[OMP_WORK];
}

double omp_region_threads(const struct omp_region *r)
{
	return value_ratio(r->at[OMP_MEMBERS], r->at[OMP_REGIONS]);
}

static void add_omp_values(struct omp_region *to, const struct run *run,
			   uint32_t node)
{
	double time = 0;

	for (int v = 0; v < OMP_VALUES; v++) {
		const struct run_metric *m = run_metric(run, omp_names[v]);
		double value = m ? value_node(m, node) : 0;

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

static int by_omp_waited(const void *x, const void *y)
{
	const struct omp_region *a = x, *b = y;

	if (omp_region_waited(a) != omp_region_waited(b))
		return omp_region_waited(a) < omp_region_waited(b) ? 1 : -1;
	return ORDER(a->node, b->node);
}

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

int omp_regions_find(struct omp_regions *to, const struct paths *paths)
{
	uint32_t *region_of = calloc(paths->count + 1, sizeof(*region_of));
	int err = region_of ? 0 : no_memory();

	*to = (struct omp_regions){ 0 };
	if (!err)
		err = sum_omp_regions(to, paths, region_of);
	if (!err)
		err = find_culprits(to, region_of, paths);
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

static void say_region(struct report *report, const struct omp_region *r,
		       const char *name, const char *in)
{
	const char *who = omp_region_culprit(r);
	char would[32];

	report_line(report,
		    "• %s: %.0f threads, %.0f %% of their time waited%s%s%s%s; "
		    "with even shares it would take %s less.",
		    name, omp_region_threads(r),
		    100 * omp_region_waited(r) / r->at[OMP_TIME],
		    who ? ", at its end for " : "", who ? who : "",
		    who && *in ? " in " : "", who ? in : "",
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
