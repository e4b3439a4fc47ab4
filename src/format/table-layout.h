/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table-layout.h - a table as text: each cell a string, a unit for each column,
 * and widths that fit the page.
 */
#ifndef FORMAT_TABLE_LAYOUT_H
#define FORMAT_TABLE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "format/format.h"

struct grid {
	size_t columns, rows;
	size_t heads;  /* of them: titles, and units where there are any */
	size_t titles; /* of these: lines that titles take */
	char **cells;  /* row by row */
	size_t *widths;
	bool *right;    /* columns of numbers end at their right edge */
	bool *letters;  /* columns of COLUMN_LETTERS */
	char *left_out; /* "  (no room for: mean size)", or NULL */
};

/* 0, or -ENOMEM with a reason; grid_fini() is due in either case. */
int grid_init(struct grid *grid, const struct report_table *table,
	      const struct format_style *style);
void grid_fini(struct grid *grid);

#endif
