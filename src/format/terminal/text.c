/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c - a report for readers: sentences, aligned tables, the tree. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/round.h"
#include "format/format.h"
#include "format/terminal/table-layout.h"
#include "format/utf8.h"

#define BOLD    "1"
#define DIM     "2"
#define WARNING "1;31"

static void paint_text(FILE *to, const struct format_style *style,
		       const char *code)
{
	if (style->colour)
		fprintf(to, "\033[%sm", code);
}

static void unpaint_text(FILE *to, const struct format_style *style)
{
	paint_text(to, style, "0");
}

/* "38 %", "6.54 s": a number keeps its unit. */
static bool is_break(const char *text, size_t at)
{
	return text[at] == ' ' &&
	       !(at && isdigit((unsigned char)text[at - 1]) &&
		 strcspn(text + at + 1, " ") <= strlen("ms,"));
}

/* The bytes of `text` that fit: to its last blank, if there is one. */
static size_t break_at(const char *text, size_t width)
{
	size_t fit = utf8_head(text, width), end = fit;

	if (!text[fit])
		return fit;
	while (end && !is_break(text, end))
		end--;
	return end ? end : fit ? fit : strlen(text);
}

/* A paragraph; lines after the first are indented by two more. */
static void write_wrapped(FILE *to, const char *text, size_t width)
{
	size_t indent = 0;

	while (*text) {
		size_t end = break_at(text, width - indent), shown = end;

		while (shown && text[shown - 1] == ' ')
			shown--;
		fprintf(to, "%*s%.*s\n", (int)indent, "", (int)shown, text);
		text += end;
		text += strspn(text, " ");
		indent = 2;
	}
}

/* "!" at its beginning marks a warning, and is not shown. */
static int write_line(FILE *to, const char *text,
		      const struct format_style *style, const char *code)
{
	char *clean = utf8_clean(text, style->utf8);

	if (!clean)
		return no_memory();
	if (*clean == '!')
		code = WARNING;
	if (code)
		paint_text(to, style, code);
	write_wrapped(to, clean, style->width);
	if (code)
		unpaint_text(to, style);
	free(clean);
	return 0;
}

/* Letters in colours, those of MPI dim; the same letter in the same colour. */
static void write_letters(FILE *to, const char *text, size_t length,
			  const struct format_style *style)
{
	static const char *const colours[] = {
		"30;48;5;110", "30;48;5;173", "30;48;5;108", "30;48;5;179",
		"30;48;5;139", "30;48;5;152", "30;48;5;174", "30;48;5;144",
		"30;48;5;75",  "30;48;5;137", "30;48;5;72",  "30;48;5;215",
		"30;48;5;147", "30;48;5;150", "30;48;5;180", "30;48;5;117",
		"30;48;5;176", "30;48;5;114", "30;48;5;209", "30;48;5;153",
		"30;48;5;186", "30;48;5;103", "30;48;5;181", "30;48;5;79",
		"30;48;5;146", "30;48;5;222",
	};

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!i || text[i - 1] != text[i]) {
			unpaint_text(to, style);
			if (islower(c))
				paint_text(to, style, colours[c - 'a']);
			else if (c != ' ')
				paint_text(to, style, DIM);
		}
		fputc(c, to);
	}
	unpaint_text(to, style);
}

/* Blanks are written only when something follows them in the row. */
static void write_cells(FILE *to, const struct grid *grid, size_t row,
			const struct format_style *style)
{
	size_t pending = 0;

	for (size_t c = 0; c < grid->columns; c++) {
		const char *text = grid->cells[row * grid->columns + c];
		size_t pad = grid->widths[c] - utf8_width(text);
		size_t length = strlen(text), end = length;

		while (end && text[end - 1] == ' ')
			end--;
		pending += grid->right[c] ? 2 + pad : 2;
		if (end) {
			fprintf(to, "%*s", (int)pending, "");
			if (grid->letters[c] && row >= grid->heads &&
			    style->colour)
				write_letters(to, text, end, style);
			else
				fprintf(to, "%.*s", (int)end, text);
			pending = 0;
		}
		pending += length - end;
		if (!grid->right[c])
			pending += pad;
	}
	fputc('\n', to);
}

static int write_table(FILE *to, const struct report_table *table,
		       const struct format_style *style)
{
	struct grid grid;
	int err = table_grid_init(&grid, table, style);

	if (err || !grid.columns || grid.rows == grid.heads)
		goto out;
	fputc('\n', to);
	if (table->title)
		err = write_line(to, table->title, style, BOLD);
	for (size_t row = 0; !err && row < grid.rows; row++) {
		if (row < grid.heads)
			paint_text(to, style, DIM);
		write_cells(to, &grid, row, style);
		if (row < grid.heads)
			unpaint_text(to, style);
	}
	if (!err && grid.left_out)
		err = write_line(to, grid.left_out, style, DIM);
out:
	table_grid_fini(&grid);
	return err;
}

/* Columns of indent for each level, so that the deepest name has room. */
static size_t indent_of(const struct report *report, size_t width)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < report->tree_count; i++)
		if (report->tree[i].depth > deepest)
			deepest = report->tree[i].depth;
	return (size_t)deepest * 2 <= width / 3 ? 2 : 1;
}

/* "  solve": levels beyond the room for indents are told as a number. */
static void tree_name(struct report *table, const struct report_tree_node *n,
		      size_t indent, size_t most)
{
	size_t blanks = n->depth * indent;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to) {
		table->failed = true;
		return;
	}
	if (blanks > most)
		fprintf(to, "%*s[%u] ", (int)most, "", n->depth);
	else
		fprintf(to, "%*s", (int)blanks, "");
	fputs(n->name ? n->name : "", to);
	fclose(to);
	report_text(table, text);
	free(text);
}

static void tree_cell(struct report *table, enum column_type type, double value)
{
	if (type == COLUMN_COUNT || type == COLUMN_BYTES)
		report_count(table, round_to_count(value));
	else
		report_number(table, value);
}

/* The tree is a table whose last column is indented. */
static int write_text_tree(FILE *to, const struct report *report,
			   const struct format_style *style)
{
	size_t indent = indent_of(report, style->width);
	struct report *table = report_new("tree", NULL);
	int err;

	if (!table)
		return no_memory();
	report_table(table, "tree", NULL);
	report_column(table, "inclusive", "inclusive", report->metric_type);
	report_column(table, "share", "share", COLUMN_SHARE);
	report_column(table, "exclusive", "exclusive", report->metric_type);
	report_column(table, "name", "function", COLUMN_TEXT);
	report_column(table, "place", "called at", COLUMN_LEFT_TEXT);
	for (size_t i = 0; i < report->tree_count; i++) {
		const struct report_tree_node *n = &report->tree[i];

		tree_cell(table, report->metric_type, n->inclusive);
		report_number(table, n->share);
		tree_cell(table, report->metric_type, n->exclusive);
		tree_name(table, n, indent, style->width / 3);
		report_text(table, n->place);
	}
	err = report_error(table);
	if (!err)
		err = write_table(to, table->tables, style);
	report_free(table);
	return err;
}

static int write_text_report(FILE *to, const struct report *report,
			     const struct format_style *style)
{
	int err = write_line(to, report->title, style, BOLD);

	for (size_t i = 0; !err && i < report->line_count; i++)
		err = write_line(to, report->lines[i], style, NULL);
	for (size_t i = 0; !err && i < report->table_count; i++)
		err = write_table(to, &report->tables[i], style);
	if (!err && report->tree_count)
		err = write_text_tree(to, report, style);
	if (report->note_count)
		fputc('\n', to);
	for (size_t i = 0; !err && i < report->note_count; i++)
		err = write_line(to, report->notes[i], style, DIM);
	return err;
}

const struct format format_text = {
	.name = "text",
	.help = "for readers: aligned, with units",
	.tables = true,
	.tree = true,
	.write_report = write_text_report,
};
