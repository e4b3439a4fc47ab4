/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * csv.c - one table: a header line, then plain numbers and quoted text as
 * RFC 4180 says; lines end with a newline alone.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "format/format.h"
#include "format/number-text.h"
#include "format/quote.h"

static bool is_column_shown(const struct report_column *column)
{
	return column->id && !number_text_is_drawn(column->type);
}

static void write_head(FILE *to, const struct report_table *table)
{
	const char *between = "";

	for (size_t c = 0; c < table->column_count; c++) {
		if (!is_column_shown(&table->columns[c]))
			continue;
		fputs(between, to);
		quote_csv(to, table->columns[c].id);
		between = ",";
	}
	fputc('\n', to);
}

static void write_csv_row(FILE *to, const struct report_table *table,
			  size_t row)
{
	const struct report_cell *cells =
		&table->cells[row * table->column_count];
	char number[PLAIN_SIZE];
	const char *between = "";

	for (size_t c = 0; c < table->column_count; c++) {
		enum column_type type = table->columns[c].type;

		if (!is_column_shown(&table->columns[c]))
			continue;
		fputs(between, to);
		between = ",";
		number_text_cell(number, type, &cells[c]);
		quote_csv(to,
			  number_text_is_text(type) ? cells[c].text : number);
	}
	fputc('\n', to);
}

static void write_csv_tree(FILE *to, const struct report *report)
{
	char inclusive[PLAIN_SIZE], exclusive[PLAIN_SIZE], share[PLAIN_SIZE];

	fputs("depth,name,place,inclusive,exclusive,share\n", to);
	for (size_t i = 0; i < report->tree_count; i++) {
		const struct report_tree_node *n = &report->tree[i];

		number_text_value(inclusive, report->metric_type, n->inclusive);
		number_text_value(exclusive, report->metric_type, n->exclusive);
		number_text_value(share, COLUMN_SHARE, n->share);
		fprintf(to, "%u,", n->depth);
		quote_csv(to, n->name);
		fputc(',', to);
		quote_csv(to, n->place);
		fprintf(to, ",%s,%s,%s\n", inclusive, exclusive, share);
	}
}

static int no_table(const struct report *report, const char *name)
{
	char known[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < report->table_count; i++)
		if (used < sizeof(known))
			used += (size_t)snprintf(
				known + used, sizeof(known) - used, "%s%s",
				i ? ", " : "", report->tables[i].id);
	return fail(-EINVAL, "%s has no table '%s'; it has %s", report->id,
		    name, used ? known : "none");
}

static int write_csv(FILE *to, const struct report *report,
		     const struct format_style *style)
{
	const struct report_table *table = report->tables;

	if (style->table)
		for (size_t i = report->table_count; i-- > 0;) {
			table = &report->tables[i];
			if (!strcmp(table->id, style->table))
				break;
		}
	if (style->table && (!table || strcmp(table->id, style->table)))
		return no_table(report, style->table);
	if (!table) {
		write_csv_tree(to, report);
		return 0;
	}
	write_head(to, table);
	for (size_t row = 0; row < table->row_count; row++)
		write_csv_row(to, table, row);
	return 0;
}

const struct format format_csv = {
	.name = "csv",
	.help = "one table as comma-separated values, plain numbers",
	.tables = true,
	.tree = true,
	.write_report = write_csv,
};
