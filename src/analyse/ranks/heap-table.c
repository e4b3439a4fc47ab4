/* SPDX-License-Identifier: BSD-3-Clause */
/* heap-table.c - what copse report memory says of allocations. */
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "analyse/ranks/heap-use.h"

static void say_heap_total(struct report *report, const struct heap_use *use)
{
	const double *all = use->total.values;
	char bytes[32], margin[32], count[32], each[32], left[32], some[32];

	report_line(report,
		    "Allocated: %s ± %s in %s; live at the end %s.  Known from "
		    "%s that were sampled: one byte of %s was drawn.",
		    phrase_bytes(bytes, all[HEAP_ALLOCATED]),
		    phrase_bytes(margin, heap_use_margin(&use->total,
							 HEAP_ALLOCATED_ERROR)),
		    phrase_many(count, all[HEAP_ALLOCATIONS], "allocation"),
		    phrase_bytes(left, all[HEAP_LEAKED]),
		    phrase_many(some, all[HEAP_SAMPLES], "allocation"),
		    phrase_bytes(each, (double)use->interval));
}

static void heap_columns(struct report *report, bool iterates, bool several)
{
	report_table(report, "allocations", "allocations");
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "at_peak", "at the peak", COLUMN_BYTES);
	report_column(report, "at_peak_margin", "±", COLUMN_BYTES);
	report_column(report, "rank", several ? "most on" : NULL, COLUMN_COUNT);
	report_column(report, "most", several ? "there" : NULL, COLUMN_BYTES);
	report_spare(report);
	report_column(report, "allocated", "allocated", COLUMN_BYTES);
	report_column(report, "allocated_margin", "±", COLUMN_BYTES);
	report_spare(report);
	report_column(report, "allocations", "allocations", COLUMN_COUNT);
	report_spare(report);
	report_column(report, "allocations_margin", NULL, COLUMN_COUNT);
	report_column(report, "young", "freed within 1 ms", COLUMN_SHARE);
	report_spare(report);
	report_column(report, "leaked", "at the end", COLUMN_BYTES);
	report_column(report, "leaked_margin", NULL, COLUMN_BYTES);
	report_column(report, "leaks", NULL, COLUMN_COUNT);
	report_column(report, "second", iterates ? NULL : "grows each second",
		      COLUMN_BYTES);
	report_column(report, "iteration",
		      iterates ? "grows each iteration" : NULL, COLUMN_BYTES);
	report_column(report, "samples", NULL, COLUMN_COUNT);
}

static void heap_growth_cells(struct report *report, const struct run *run,
			      const struct heap_row *row)
{
	double second = heap_use_each_second(run, row->grows_rank, row->grows);
	double each = heap_use_iteration(run, row->grows_rank);

	value_count(report, row->grows > 0 ? second : NO_VALUE);
	value_count(report,
		    row->grows > 0 && each > 0 ? second * each : NO_VALUE);
}

static void heap_row_cells(struct report *report, const struct heap_use *use,
			   const struct heap_row *row)
{
	const struct run *run = use->paths->run;
	const double *v = row->values;

	paths_cell(report, use->paths, row->path);
	value_count(report, v[HEAP_AT_PEAK]);
	value_count(report, heap_use_margin(row, HEAP_AT_PEAK_ERROR));
	value_count(report, row->holds > 0 ? (double)processes_number(
						     run, row->holds_rank)
					   : NO_VALUE);
	value_count(report, row->holds);
	value_count(report, v[HEAP_ALLOCATED]);
	value_count(report, heap_use_margin(row, HEAP_ALLOCATED_ERROR));
	value_count(report, v[HEAP_ALLOCATIONS]);
	value_count(report, heap_use_margin(row, HEAP_ALLOCATIONS_ERROR));
	report_number(report,
		      value_ratio(v[HEAP_YOUNG_BYTES], v[HEAP_ALLOCATED]));
	value_count(report, v[HEAP_LEAKED]);
	value_count(report, heap_use_margin(row, HEAP_LEAKED_ERROR));
	value_count(report, v[HEAP_LEAKS]);
	heap_growth_cells(report, run, row);
	value_count(report, v[HEAP_SAMPLES]);
}

void heap_use_report(struct report *report, const struct heap_use *use,
		     size_t limit)
{
	const struct run *run = use->paths->run;

	if (!use->count)
		return;
	say_heap_total(report, use);
	heap_columns(report, run->iterations.step_count > 0,
		     run->rank_count > 1);
	for (size_t i = 0; i < use->count && i < limit; i++)
		heap_row_cells(report, use, &use->at[i]);
}
