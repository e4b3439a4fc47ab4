/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - build a report, piece by piece. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/report.h"
#include "base/err.h"

/*
 * Room for one more behind `count` things of `size` bytes: the room is the
 * next power of two, so it grows when the count is one.
 */
static bool grow_report(struct report *report, void **at, size_t count,
			size_t size)
{
	void *more;

	if (count & (count - 1))
		return true;
	more = realloc(*at, (count ? count * 2 : 1) * size);
	if (!more) {
		report->failed = true;
		return false;
	}
	*at = more;
	return true;
}

static char *copy_into_report(struct report *report, const char *text)
{
	char *new = text ? strdup(text) : NULL;

	if (text && !new)
		report->failed = true;
	return new;
}

struct report *report_new(const char *id, const char *title)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->id = copy_into_report(report, id);
	report->title = copy_into_report(report, title);
	return report;
}

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

static void free_cell(struct report_cell *cell)
{
	free(cell->text);
	free(cell->said);
	free(cell->apart);
	free(cell->spark);
}

static void free_table(struct report_table *table)
{
	for (size_t i = 0; i < table->column_count; i++) {
		free(table->columns[i].id);
		free(table->columns[i].title);
	}
	for (size_t i = 0; i < table->cell_count; i++)
		free_cell(&table->cells[i]);
	free(table->columns);
	free(table->cells);
	free(table->id);
	free(table->title);
}

void report_free(struct report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < report->table_count; i++)
		free_table(&report->tables[i]);
	for (size_t i = 0; i < report->tree_count; i++) {
		free(report->tree[i].name);
		free(report->tree[i].place);
	}
	for (size_t i = 0; i < report->check_count; i++) {
		free(report->checks[i].group);
		free(report->checks[i].name);
		free(report->checks[i].message);
	}
	free(report->checks);
	free_texts(report->lines, report->line_count);
	free_texts(report->notes, report->note_count);
	free(report->tables);
	free(report->tree);
	free(report->metric);
	free(report->title);
	free(report->id);
	free(report);
}

int report_error(const struct report *report)
{
	return report->failed ? no_memory() : 0;
}

int report_give(struct report **to, struct report *report, int err)
{
	if (!err)
		err = report_error(report);
	if (err)
		report_free(report);
	else
		*to = report;
	return err;
}

static void add_text(struct report *report, char ***texts, size_t *count,
		     const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0) {
		report->failed = true;
		return;
	}
	if (grow_report(report, (void **)texts, *count, sizeof(**texts)))
		(*texts)[(*count)++] = text;
	else
		free(text);
}

void report_line(struct report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(report, &report->lines, &report->line_count, fmt, args);
	va_end(args);
}

void report_note(struct report *report, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(report, &report->notes, &report->note_count, fmt, args);
	va_end(args);
}

struct report_table *report_table(struct report *report, const char *id,
				  const char *title)
{
	struct report_table *table;

	if (!grow_report(report, (void **)&report->tables, report->table_count,
			 sizeof(*report->tables)))
		return NULL;
	table = &report->tables[report->table_count++];
	*table = (struct report_table){
		.id = copy_into_report(report, id),
		.title = copy_into_report(report, title),
	};
	return table;
}

static struct report_table *last_table(struct report *report)
{
	if (!report->table_count)
		return NULL;
	return &report->tables[report->table_count - 1];
}

void report_column(struct report *report, const char *id, const char *title,
		   enum column_type type)
{
	struct report_table *table = last_table(report);

	if (!table ||
	    !grow_report(report, (void **)&table->columns, table->column_count,
			 sizeof(*table->columns)))
		return;
	table->columns[table->column_count++] = (struct report_column){
		.id = copy_into_report(report, id),
		.title = copy_into_report(report, title),
		.type = type,
	};
}

static struct report_column *last_column(struct report *report)
{
	struct report_table *table = last_table(report);

	if (!table || !table->column_count)
		return NULL;
	return &table->columns[table->column_count - 1];
}

void report_spare(struct report *report)
{
	struct report_column *column = last_column(report);

	if (column)
		column->spare = true;
}

void report_key(struct report *report)
{
	struct report_column *column = last_column(report);

	if (column)
		column->key = true;
}

/* After a failure the report is of no use: cells need not stay in order. */
static void add_cell(struct report *report, struct report_cell cell)
{
	struct report_table *table = last_table(report);

	if (!table || !table->column_count ||
	    !grow_report(report, (void **)&table->cells, table->cell_count,
			 sizeof(*table->cells))) {
		free_cell(&cell);
		return;
	}
	table->cells[table->cell_count++] = cell;
	table->row_count = table->cell_count / table->column_count;
}

void report_text(struct report *report, const char *text)
{
	add_cell(report,
		 (struct report_cell){ .text = copy_into_report(report, text),
				       .none = !text });
}

void report_path(struct report *report, const char *text, const char *said,
		 const char *apart)
{
	bool differs = said && text && strcmp(text, said) != 0;

	add_cell(
		report,
		(struct report_cell){
			.text = copy_into_report(report, text),
			.said = differs ? copy_into_report(report, said) : NULL,
			.apart = apart && said && strcmp(apart, said) != 0
					 ? copy_into_report(report, apart)
					 : NULL,
			.none = !text });
}

void report_number(struct report *report, double value)
{
	add_cell(report, (struct report_cell){ .number = value });
}

void report_share(struct report *report, double value, double margin)
{
	add_cell(report,
		 (struct report_cell){ .number = value, .margin = margin });
}

void report_count(struct report *report, uint64_t value)
{
	add_cell(report, (struct report_cell){ .number = (double)value,
					       .count = value });
}

void report_spark(struct report *report, const double *values, size_t count)
{
	double *spark = calloc(count ? count : 1, sizeof(*spark));

	if (!spark) {
		report->failed = true;
		return;
	}
	if (count)
		memcpy(spark, values, count * sizeof(*spark));
	add_cell(report,
		 (struct report_cell){ .spark = spark, .spark_count = count });
}

void report_none(struct report *report)
{
	add_cell(report, (struct report_cell){ .none = true });
}

void report_tree(struct report *report, uint32_t depth, const char *name,
		 const char *place, double inclusive, double exclusive,
		 double share)
{
	if (!grow_report(report, (void **)&report->tree, report->tree_count,
			 sizeof(*report->tree)))
		return;
	report->tree[report->tree_count++] = (struct report_tree_node){
		.depth = depth,
		.name = copy_into_report(report, name),
		.place = copy_into_report(report, place),
		.inclusive = inclusive,
		.exclusive = exclusive,
		.share = share,
	};
}

void report_check(struct report *report, const char *group, const char *name,
		  bool failed, const char *message)
{
	if (!grow_report(report, (void **)&report->checks, report->check_count,
			 sizeof(*report->checks)))
		return;
	report->checks[report->check_count++] = (struct report_check){
		.group = copy_into_report(report, group),
		.name = copy_into_report(report, name),
		.message = copy_into_report(report, message),
		.failed = failed,
	};
}
