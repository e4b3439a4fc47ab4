/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json.c - the whole report as one JSON object with plain numbers, as
 * share/report.schema.json says.
 */
#include "config.h"

#include "format/format.h"
#include "format/number-text.h"
#include "format/quote.h"

/* One more when something is taken away or means something else. */
enum {
	FORMAT = 1
};

static void write_key(FILE *to, const char *key)
{
	quote_json(to, key);
	fputs(": ", to);
}

static void write_number(FILE *to, const char *number)
{
	fputs(*number ? number : "null", to);
}

static void write_texts(FILE *to, const char *key, char *const *texts,
			size_t count)
{
	write_key(to, key);
	fputc('[', to);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n    " : "\n    ", to);
		quote_json(to, texts[i]);
	}
	fputs("],\n  ", to);
}

static void write_json_row(FILE *to, const struct report_table *table,
			   size_t row)
{
	const struct report_cell *cells =
		&table->cells[row * table->column_count];
	const char *between = "{";
	char number[PLAIN_SIZE];

	for (size_t c = 0; c < table->column_count; c++) {
		const struct report_column *column = &table->columns[c];

		if (!column->id || number_text_is_drawn(column->type))
			continue;
		fputs(between, to);
		between = ", ";
		write_key(to, column->id);
		number_text_cell(number, column->type, &cells[c]);
		if (number_text_is_text(column->type))
			quote_json(to, cells[c].text);
		else
			write_number(to, number);
	}
	fputs(*between == '{' ? "{}" : "}", to);
}

static void write_tables(FILE *to, const struct report *report)
{
	write_key(to, "tables");
	fputc('{', to);
	for (size_t i = 0; i < report->table_count; i++) {
		const struct report_table *table = &report->tables[i];

		fputs(i ? ",\n    " : "\n    ", to);
		write_key(to, table->id);
		fputc('[', to);
		for (size_t row = 0; row < table->row_count; row++) {
			fputs(row ? ",\n      " : "\n      ", to);
			write_json_row(to, table, row);
		}
		fputc(']', to);
	}
	fputs("},\n  ", to);
}

static void write_node(FILE *to, const struct report *report,
		       const struct report_tree_node *n)
{
	char number[PLAIN_SIZE];

	fprintf(to, "{\"depth\": %u, \"name\": ", n->depth);
	quote_json(to, n->name);
	fputs(", \"place\": ", to);
	quote_json(to, n->place);
	fputs(", \"inclusive\": ", to);
	number_text_value(number, report->metric_type, n->inclusive);
	write_number(to, number);
	fputs(", \"exclusive\": ", to);
	number_text_value(number, report->metric_type, n->exclusive);
	write_number(to, number);
	fputs(", \"share\": ", to);
	number_text_value(number, COLUMN_SHARE, n->share);
	write_number(to, number);
	fputc('}', to);
}

static int write_json(FILE *to, const struct report *report,
		      const struct format_style *style)
{
	(void)style;
	fprintf(to, "{\n  \"version\": %d,\n  ", FORMAT);
	write_key(to, "copse");
	quote_json(to, PACKAGE_VERSION);
	fputs(",\n  ", to);
	write_key(to, "analysis");
	quote_json(to, report->id);
	fputs(",\n  ", to);
	write_key(to, "title");
	quote_json(to, report->title);
	fputs(",\n  ", to);
	write_key(to, "metric");
	quote_json(to, report->metric);
	fputs(",\n  ", to);
	write_texts(to, "lines", report->lines, report->line_count);
	write_texts(to, "notes", report->notes, report->note_count);
	write_tables(to, report);
	write_key(to, "tree");
	fputc('[', to);
	for (size_t i = 0; i < report->tree_count; i++) {
		fputs(i ? ",\n    " : "\n    ", to);
		write_node(to, report, &report->tree[i]);
	}
	fputs("]\n}\n", to);
	return 0;
}

const struct format format_json = {
	.name = "json",
	.help = "the whole report as one JSON object, plain numbers",
	.tables = true,
	.tree = true,
	.write_report = write_json,
};
