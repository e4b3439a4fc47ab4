/* SPDX-License-Identifier: BSD-3-Clause */
/* page-reports.c - the reports of an overview, for a page. */
#include <string.h>

#include "format/number-text.h"
#include "format/page-parts.h"
#include "format/quote.h"

static const char *const types[] = {
	[COLUMN_TEXT] = "text",       [COLUMN_LEFT_TEXT] = "left",
	[COLUMN_SECONDS] = "seconds", [COLUMN_COUNT] = "count",
	[COLUMN_BYTES] = "bytes",     [COLUMN_NUMBER] = "number",
	[COLUMN_SHARE] = "share",     [COLUMN_BAR] = "bar",
	[COLUMN_SPARK] = "spark",     [COLUMN_HEAT] = "heat",
};

static void put_page_value(FILE *to, enum column_type type, double value)
{
	char text[PLAIN_SIZE];

	plain_value(text, type, value);
	fputs(*text ? text : "null", to);
}

/* A name, or [for readers, in full], or these and what tells it from others. */
static void put_text_cell(FILE *to, const struct report_cell *cell)
{
	const char *said = cell->said ? cell->said : cell->text;
	bool apart = cell->apart && strcmp(cell->apart, said) != 0;

	if (!apart && (!cell->text || !strcmp(said, cell->text))) {
		quote_json(to, cell->text);
		return;
	}
	fputc('[', to);
	quote_json(to, said);
	fputs(", ", to);
	quote_json(to, cell->text);
	if (apart) {
		fputs(", ", to);
		quote_json(to, cell->apart);
	}
	fputc(']', to);
}

static void put_drawn_cell(FILE *to, const struct report_cell *cell)
{
	fputc('[', to);
	for (size_t i = 0; i < cell->spark_count; i++) {
		fputs(i ? ", " : "", to);
		put_page_value(to, COLUMN_SPARK, cell->spark[i]);
	}
	fputc(']', to);
}

static void put_number_cell(FILE *to, enum column_type type,
			    const struct report_cell *cell)
{
	char text[PLAIN_SIZE];
	bool margin = type == COLUMN_SHARE && cell->margin > 0;

	plain_cell(text, type, cell);
	fprintf(to, "%s%s", margin ? "[" : "", *text ? text : "null");
	if (margin) {
		fputs(", ", to);
		put_page_value(to, type, cell->margin);
		fputc(']', to);
	}
}

static void put_page_cell(FILE *to, enum column_type type,
			  const struct report_cell *cell)
{
	if (cell->none)
		fputs("null", to);
	else if (plain_is_text(type))
		put_text_cell(to, cell);
	else if (type == COLUMN_SPARK || type == COLUMN_HEAT)
		put_drawn_cell(to, cell);
	else
		put_number_cell(to, type, cell);
}

static void put_page_columns(FILE *to, const struct report_table *table)
{
	fputs("\"columns\": [", to);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *c = &table->columns[i];

		fputs(i ? ", {\"id\": " : "{\"id\": ", to);
		quote_json(to, c->id);
		fputs(", \"title\": ", to);
		quote_json(to, c->title);
		fprintf(to, ", \"type\": \"%s\"}", types[c->type]);
	}
	fputs("]", to);
}

static void put_table(FILE *to, const struct report_table *table)
{
	fputs("{\"id\": ", to);
	quote_json(to, table->id);
	fputs(", \"title\": ", to);
	quote_json(to, table->title);
	fputs(", ", to);
	put_page_columns(to, table);
	fputs(", \"rows\": [", to);
	for (size_t r = 0; r < table->row_count; r++) {
		fputs(r ? ",\n[" : "\n[", to);
		for (size_t c = 0; c < table->column_count; c++) {
			fputs(c ? ", " : "", to);
			put_page_cell(
				to, table->columns[c].type,
				&table->cells[r * table->column_count + c]);
		}
		fputc(']', to);
	}
	fputs("]}", to);
}

static void put_texts(FILE *to, const char *name, char *const *texts,
		      size_t count)
{
	fprintf(to, "\"%s\": [", name);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "", to);
		quote_json(to, texts[i]);
	}
	fputs("],\n", to);
}

static void put_report(FILE *to, const struct report *report)
{
	quote_json(to, report->id);
	fputs(": {\"id\": ", to);
	quote_json(to, report->id);
	fputs(", \"title\": ", to);
	quote_json(to, report->title);
	fputs(", \"metric\": ", to);
	quote_json(to, report->metric);
	fputs(",\n", to);
	put_texts(to, "lines", report->lines, report->line_count);
	put_texts(to, "notes", report->notes, report->note_count);
	fputs("\"tables\": [", to);
	for (size_t i = 0; i < report->table_count; i++) {
		fputs(i ? ",\n" : "", to);
		put_table(to, &report->tables[i]);
	}
	fputs("]}", to);
}

void page_put_reports(struct page_stream *s, const struct overview *o)
{
	fputs("\"reports\": {", s->json);
	for (size_t i = 0; i < o->report_count; i++) {
		fputs(i ? ",\n" : "\n", s->json);
		put_report(s->json, o->reports[i]);
	}
	fputs("},\n", s->json);
}
