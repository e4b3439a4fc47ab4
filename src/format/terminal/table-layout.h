/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table-layout.h - a table as text: each cell a string, a unit for each column,
 * and widths that fit the page.
 */
#pragma once

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

/* 0, or -ENOMEM with a reason; table_grid_fini() is due in either case. */
int table_grid_init(struct grid *grid, const struct report_table *table,
		    const struct format_style *style);
void table_grid_fini(struct grid *grid);

/*
 * Texts of a column that look alike once they are cut: cut
 * again, so that the reader sees where they differ.
 */

struct alike_text {
	char **cut;       /* as it will be shown; to be freed, replaced here */
	const char *full; /* before */
};

/*
 * "sum ← … ← solve_left ← …" for "sum ← …", where another is of solve_right:
 * the innermost frame, and the one in which they differ.  Where `width` has no
 * room for that they stay.  Sorts the texts.  0, or -ENOMEM with a reason.
 */
int disambiguate_texts(struct alike_text *texts, size_t count, size_t width,
		       bool utf8);
