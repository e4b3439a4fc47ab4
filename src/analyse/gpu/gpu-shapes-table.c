/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-shapes-table.c - a row for each way to launch a kernel but for the grid.
 */
#include "analyse/gpu/gpu-tables.h"

#include "analyse/base/analysis.h"
#include "analyse/gpu/occupancy.h"

enum {
	ROWS = 20
};

static void shape_columns(struct report *report)
{
	report_table(report, "shapes", "shapes of launches");
	report_column(report, "kernel", "kernel", COLUMN_TEXT);
	report_column(report, "launches", "launches", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "grid_least", "least grid", COLUMN_COUNT);
	report_column(report, "grid", "grid", COLUMN_COUNT);
	report_column(report, "block", "block", COLUMN_COUNT);
	report_column(report, "registers", "registers", COLUMN_COUNT);
	report_column(report, "shared", "shared", COLUMN_BYTES);
	report_column(report, "static_shared", NULL, COLUMN_BYTES);
	report_column(report, "dynamic_shared", NULL, COLUMN_BYTES);
	report_column(report, "local", "local", COLUMN_BYTES);
	report_column(report, "block_x", NULL, COLUMN_COUNT);
	report_column(report, "block_y", NULL, COLUMN_COUNT);
	report_column(report, "block_z", NULL, COLUMN_COUNT);
	report_column(report, "cluster", NULL, COLUMN_COUNT);
	report_column(report, "occupancy", "occupancy", COLUMN_SHARE);
	report_column(report, "blocks", NULL, COLUMN_COUNT);
	report_column(report, "limit", "limited by", COLUMN_TEXT);
}

static void occupancy_cells(struct report *report, const struct run *run,
			    const struct run_shape *s)
{
	struct occupancy o;

	if (s->model == RUN_NO_MODEL) {
		report_none(report);
		report_none(report);
		report_none(report);
		return;
	}
	o = occupancy_of(&run->facts.models[s->model], s);
	report_number(report, o.share);
	report_count(report, o.blocks);
	report_text(report, *o.limit ? o.limit : NULL);
}

static void shape_row(struct report *report, const struct run *run,
		      const struct run_shape *s)
{
	report_text(report, str_at(&run->strings, s->function));
	report_count(report, s->launches);
	report_number(report, (double)s->ns / 1e9);
	report_count(report, s->least_blocks);
	report_count(report, s->most_blocks);
	report_count(report, (uint64_t)s->block_x * s->block_y * s->block_z);
	report_count(report, s->registers);
	report_count(report, (uint64_t)s->static_shared + s->dynamic_shared);
	report_count(report, s->static_shared);
	report_count(report, s->dynamic_shared);
	report_count(report, s->local);
	report_count(report, s->block_x);
	report_count(report, s->block_y);
	report_count(report, s->block_z);
	report_count(report, s->cluster);
	occupancy_cells(report, run, s);
}

void gpu_shapes_table(struct report *report, const struct run *run,
		      const struct analysis_options *options)
{
	size_t limit = analysis_limit(options, ROWS, run->facts.shape_count);

	if (!run->facts.shape_count)
		return;
	shape_columns(report);
	for (size_t i = 0; i < limit; i++)
		shape_row(report, run, &run->facts.shapes[i]);
}
