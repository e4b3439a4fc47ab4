/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-factors.c - see thread-factors.h. */
#include "analyse/mpi/thread-factors.h"

#include <math.h>

#include "analyse/threads/omp-regions.h"

struct thread_factors thread_factors_of(const struct run *run,
					const struct efficiency *e)
{
	struct thread_factors f = { 0 };
	struct omp_outermost in = omp_outermost(run);
	double outside = fmax(e->outside_mean * (double)e->ranks, in.elapsed);
	double alone = outside - in.elapsed;

	if (!e->ranks || in.elapsed <= 0)
		return f;
	f.threads = in.time / in.elapsed;
	f.inside = in.elapsed / outside;
	f.serial = (alone + in.time) / (f.threads * outside);
	f.regions = (alone + in.work) / (alone + in.time);
	f.all = f.serial * f.regions;
	return f;
}

void thread_factors_line(struct report *report, const struct thread_factors *f)
{
	if (f->threads <= 0)
		return;
	report_line(report,
		    "OpenMP %.0f %% = serial parts %.0f %% × parallel regions "
		    "%.0f %%, of %.1f threads in regions.",
		    100 * f->all, 100 * f->serial, 100 * f->regions,
		    f->threads);
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
