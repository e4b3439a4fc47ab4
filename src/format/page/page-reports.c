/* SPDX-License-Identifier: BSD-3-Clause */
/* page-reports.c - the reports of an overview, for a page. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analyse/base/value.h"
#include "format/number-text.h"
#include "format/page/page-parts.h"
#include "format/quote.h"

enum {
	MOST_DRAWN = 64, /* numbers of a cell that stay numbers */
	TEXT_SHORT = 8   /* bytes of a text that is cheaper than its number */
};

/*
 * Columns without a title are for programs.  The page reads those of these
 * tables, and finds call paths by lines; of others it has what it shows.
 */
static const char *const read_tables[] = { "run",     "findings", "factors",
					   "ranks",   "map",      "sizes",
					   "devices", "losses",   "parts" };

static bool table_is_read(const struct report_table *table)
{
	for (size_t i = 0; i < sizeof(read_tables) / sizeof(*read_tables); i++)
		if (table->id && !strcmp(table->id, read_tables[i]))
			return true;
	return false;
}

static bool column_is_read(const struct report_table *table, size_t column)
{
	const struct report_column *c = &table->columns[column];

	return c->title ||
	       (c->id && (!strcmp(c->id, "line") || !strcmp(c->id, "part"))) ||
	       table_is_read(table);
}

static const char *const types[] = {
	[COLUMN_TEXT] = "text",       [COLUMN_LEFT_TEXT] = "left",
	[COLUMN_SECONDS] = "seconds", [COLUMN_COUNT] = "count",
	[COLUMN_BYTES] = "bytes",     [COLUMN_NUMBER] = "number",
	[COLUMN_SHARE] = "share",     [COLUMN_BAR] = "bar",
	[COLUMN_SPARK] = "spark",     [COLUMN_HEAT] = "heat",
	[COLUMN_LETTERS] = "letters",
};

static void put_page_value(FILE *to, enum column_type type, double value)
{
	char text[PLAIN_SIZE];

	number_text_value(text, type, value);
	fputs(*text ? text : "null", to);
}

/* A text, or its number in `texts`: paths stand in several tables. */
static void put_cell_text(struct page_stream *s, const char *text)
{
	uint32_t number = text && strlen(text) >= TEXT_SHORT
				  ? str_add(&s->texts, text)
				  : STR_NONE;

	if (number == STR_NONE)
		quote_json(s->json, text);
	else
		fprintf(s->json, "%" PRIu32, number);
}

static void put_texts_of_cells(struct page_stream *s)
{
	fputs("\"texts\": [", s->json);
	for (uint32_t i = 0; i < s->texts.count; i++) {
		fputs(i ? ",\n" : "", s->json);
		quote_json(s->json, str_at(&s->texts, i));
	}
	fputs("],\n", s->json);
}

/* A name, or [for readers, in full], or these and what tells it from others. */
static void put_text_cell(struct page_stream *s, const struct report_cell *cell)
{
	FILE *to = s->json;
	const char *said = cell->said ? cell->said : cell->text;
	bool apart = cell->apart && strcmp(cell->apart, said) != 0;

	if (!apart && (!cell->text || !strcmp(said, cell->text))) {
		put_cell_text(s, cell->text);
		return;
	}
	fputc('[', to);
	put_cell_text(s, said);
	fputs(", ", to);
	put_cell_text(s, cell->text);
	if (apart) {
		fputs(", ", to);
		put_cell_text(s, cell->apart);
	}
	fputc(']', to);
}

/* Shares of the most become bytes, and the cell names their array. */
static void put_drawn_bytes(struct page_stream *s,
			    const struct report_cell *cell)
{
	char name[32];
	double most = 0;

	snprintf(name, sizeof(name), "drawn.%zu", s->bytes.size);
	page_array(s, name, PAGE_U8);
	for (size_t i = 0; i < cell->spark_count; i++)
		most = fmax(most, cell->spark[i]);
	for (size_t i = 0; i < cell->spark_count; i++)
		page_number(s,
			    (uint64_t)lround(
				    255 * value_ratio(cell->spark[i], most)));
	page_array_end(s);
	quote_json(s->json, name);
}

/* Of more than a picture has columns, each is the largest of its part. */
static void put_drawn_cell(FILE *to, const struct report_cell *cell)
{
	size_t all = cell->spark_count;
	size_t count = all < MOST_DRAWN ? all : MOST_DRAWN;

	fputc('[', to);
	for (size_t i = 0; i < count; i++) {
		double most = cell->spark[i * all / count];

		for (size_t k = i * all / count; k < (i + 1) * all / count; k++)
			most = fmax(most, cell->spark[k]);
		fprintf(to, "%s%.4g", i ? ", " : "", isfinite(most) ? most : 0);
	}
	fputc(']', to);
}

/* Of a table that is only read, seconds have five digits: views show three. */
static void put_number_cell(FILE *to, enum column_type type,
			    const struct report_cell *cell, bool exact)
{
	char text[PLAIN_SIZE];
	bool margin = type == COLUMN_SHARE && cell->margin > 0;

	if (type == COLUMN_SECONDS && !exact && isfinite(cell->number))
		snprintf(text, sizeof(text), "%.5g", cell->number);
	else
		number_text_cell(text, type, cell);
	fprintf(to, "%s%s", margin ? "[" : "", *text ? text : "null");
	if (margin) {
		fputs(", ", to);
		put_page_value(to, type, cell->margin);
		fputc(']', to);
	}
}

/* `whole`: a picture has each of its numbers. */
static void put_page_cell(struct page_stream *s, enum column_type type,
			  const struct report_cell *cell, bool exact,
			  bool whole)
{
	FILE *to = s->json;

	if (whole && type == COLUMN_SPARK && cell->spark_count > MOST_DRAWN)
		put_drawn_bytes(s, cell);
	else if (cell->none || type == COLUMN_LETTERS)
		fputs("null", to); /* the timeline itself is there */
	else if (number_text_is_text(type))
		put_text_cell(s, cell);
	else if (type == COLUMN_SPARK || type == COLUMN_HEAT)
		put_drawn_cell(to, cell);
	else
		put_number_cell(to, type, cell, exact);
}

static void put_page_columns(FILE *to, const struct report_table *table)
{
	const char *before = "";

	fputs("\"columns\": [", to);
	for (size_t i = 0; i < table->column_count; i++) {
		const struct report_column *c = &table->columns[i];

		if (!column_is_read(table, i))
			continue;
		fprintf(to, "%s{\"id\": ", before);
		before = ", ";
		quote_json(to, c->id);
		fputs(", \"title\": ", to);
		quote_json(to, c->title);
		fprintf(to, ", \"type\": \"%s\"}", types[c->type]);
	}
	fputs("]", to);
}

static void put_page_rows(struct page_stream *s,
			  const struct report_table *table, size_t count,
			  bool whole)
{
	const struct report_cell *cell = table->cells;
	bool exact = table_is_read(table);

	fputs(", \"rows\": [", s->json);
	for (size_t r = 0; r < count; r++) {
		const char *before = "";

		fputs(r ? ",\n[" : "\n[", s->json);
		for (size_t c = 0; c < table->column_count; c++, cell++) {
			if (!column_is_read(table, c))
				continue;
			fputs(before, s->json);
			put_page_cell(s, table->columns[c].type, cell, exact,
				      whole);
			before = ", ";
		}
		fputc(']', s->json);
	}
	fputc(']', s->json);
}

/* In whose place a page of all reports has a picture, or another table. */
static const struct {
	const char *report, *table;
} never_shown[] = { { "summary", "strip" },   { "summary", "mpi" },
		    { "split", "ranks" },     { "ranks", "parts" },
		    { "split", "bins" },      { "ranks", "paths" },
		    { "imbalance", "ranks" }, { "iterations", "ranks" },
		    { "threads", "strips" } };

/* Whether the page has any column of it. */
static bool table_is_shown(const struct overview *o,
			   const struct report *report,
			   const struct report_table *table)
{
	for (size_t i = 0; i < sizeof(never_shown) / sizeof(*never_shown); i++)
		if (o->report_count > 1 &&
		    !strcmp(report->id, never_shown[i].report) && table->id &&
		    !strcmp(table->id, never_shown[i].table))
			return false;
	for (size_t i = 0; i < table->column_count; i++)
		if (column_is_read(table, i))
			return true;
	return false;
}

static void put_table(struct page_stream *s, const struct overview *o,
		      const struct report *report,
		      const struct report_table *table)
{
	/* What each process did with its time stands nowhere else. */
	bool whole = !strcmp(report->id, "split");
	size_t limit = table_is_read(table) ? o->rows : o->shown;
	size_t rows = table_is_shown(o, report, table) ? table->row_count : 0;
	size_t count = rows < limit ? rows : limit;

	fputs("{\"id\": ", s->json);
	quote_json(s->json, table->id);
	fputs(", \"title\": ", s->json);
	quote_json(s->json, table->title);
	fprintf(s->json, ", \"more\": %zu, ", rows - count);
	put_page_columns(s->json, table);
	put_page_rows(s, table, count, whole);
	fputc('}', s->json);
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

static void put_report(struct page_stream *s, const struct overview *o,
		       const struct report *report)
{
	FILE *to = s->json;

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
		put_table(s, o, report, &report->tables[i]);
	}
	fputs("]}", to);
}

void page_put_reports(struct page_stream *s, const struct overview *o)
{
	fputs("\"reports\": {", s->json);
	for (size_t i = 0; i < o->report_count; i++) {
		fputs(i ? ",\n" : "\n", s->json);
		put_report(s, o, o->reports[i]);
	}
	fputs("},\n", s->json);
	put_texts_of_cells(s);
}
