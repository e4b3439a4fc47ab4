/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-factors.c - see thread-factors.h. */
#include "analyse/mpi/thread-factors.h"

#include <math.h>

#include "analyse/value.h"

/* Seconds: of regions, once and for each of their threads, and in work. */
struct region_time {
	double elapsed, time, work;
};

static double omp_value(const struct run *run, const char *metric,
			uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric);

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

static struct region_time regions_add_up(const struct run *run)
{
	struct region_time all = { 0 };

	for (uint32_t i = 1; i < run->node_count; i++) {
		double time, members, calls;

		if (!is_outermost(run, i))
			continue;
		time = omp_value(run, "omp.time", i);
		members = omp_value(run, "omp.members", i);
		calls = omp_value(run, "omp.regions", i);
		all.elapsed += value_ratio(time * calls, members);
		all.time += time;
		all.work += omp_value(run, "omp.work", i);
	}
	return all;
}

struct thread_factors thread_factors_of(const struct run *run,
					const struct efficiency *e)
{
	struct thread_factors f = { 0 };
	struct region_time in = regions_add_up(run);
	double outside = fmax(e->outside_mean * (double)e->ranks, in.elapsed);
	double alone = outside - in.elapsed;

	if (!e->ranks || in.elapsed <= 0)
		return f;
	f.threads = in.time / in.elapsed;
	f.inside = in.elapsed / outside;
	f.serial = (alone + in.time) / (f.threads * outside);
	f.regions = (alone + in.work) / (alone + in.time);
	f.all = f.serial * f.regions;
	f.hybrid = e->balance * e->communication * f.all;
	return f;
}

void thread_factors_line(struct report *report, const struct thread_factors *f)
{
	if (f->threads <= 0)
		return;
	report_line(report,
		    "Of %.1f threads in regions: thread efficiency %.0f %% = "
		    "serial parts %.0f %% × parallel regions %.0f %%; with "
		    "MPI's factors %.0f %%.",
		    f->threads, 100 * f->all, 100 * f->serial, 100 * f->regions,
		    100 * f->hybrid);
}

void thread_factors_table(struct report *report, const struct thread_factors *f)
{
	const struct {
		const char *id, *title;
		enum column_type type;
		double value;
	} cells[] = {
		{ "threads", "threads", COLUMN_NUMBER, f->threads },
		{ "inside", "in regions", COLUMN_SHARE, f->inside },
		{ "serial_efficiency", "serial parts", COLUMN_SHARE,
		  f->serial },
		{ "region_efficiency", "regions", COLUMN_SHARE, f->regions },
		{ "thread_efficiency", "product", COLUMN_SHARE, f->all },
		{ "hybrid_efficiency", "with MPI", COLUMN_SHARE, f->hybrid },
	};
	size_t count = sizeof(cells) / sizeof(*cells);

	if (f->threads <= 0)
		return;
	report_table(report, "thread_factors", "threads of the ranks");
	for (size_t i = 0; i < count; i++)
		report_column(report, cells[i].id, cells[i].title,
			      cells[i].type);
	for (size_t i = 0; i < count; i++)
		report_number(report, cells[i].value);
}
