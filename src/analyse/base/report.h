/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report.h - what an analysis finds: sentences, titled tables with typed
 * columns and, where it helps, a tree.  Analyses make it, formats write it.
 *
 * Ownership   A report owns everything added to it (strings are copied).
 * Failure     Out of memory is kept in the report: every call may be made,
 *             report_error() says at the end whether one failed.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum column_type {
	COLUMN_TEXT,
	COLUMN_LEFT_TEXT, /* text that may be cut on its left: paths */
	COLUMN_SECONDS,   /* double, seconds */
	COLUMN_COUNT,     /* uint64_t */
	COLUMN_BYTES,     /* uint64_t */
	COLUMN_NUMBER,    /* double, no unit */
	COLUMN_SHARE,     /* double, 0 … 1; text shows per cent */
	COLUMN_BAR, /* double, 0 … 1, drawn; text only, not in csv or json */
	COLUMN_SPARK, /* doubles, drawn as a sparkline; text only */
	COLUMN_HEAT, /* doubles, 0 … 1, as wide as there is room; text only */
	COLUMN_LETTERS, /* doubles: characters, as wide as there is room, in
			   colours; text only */
};

struct report_column {
	char *id;    /* stable name in csv and json; NULL: in text only */
	char *title; /* in text; NULL: in csv and json only */
	enum column_type type;
	bool spare; /* text leaves it out where names would lack room */
	bool key;   /* rows are sorted by it: text always shows it */
};

struct report_cell {
	char *text;
	char *said;  /* by text instead; NULL: the same */
	char *apart; /* and that where rows would read the same; or NULL */
	double number;
	double margin; /* of a share: text shows ± */
	uint64_t count;
	double *spark;
	size_t spark_count;
	bool none; /* no value: "-" in text, empty in csv, null in json */
};

struct report_table {
	char *id, *title;
	struct report_column *columns;
	size_t column_count, row_count; /* rows that are complete */
	struct report_cell *cells;      /* row by row */
	size_t cell_count;
};

struct report_tree_node { /* depth first; the indent is the depth */
	uint32_t depth;
	char *name, *place; /* "solve", "solve.c:42" */
	double inclusive,
		exclusive; /* in the metric's unit: seconds, bytes, … */
	double share;      /* of the total, inclusive */
};

struct report_check { /* for formats of test results */
	char *group, *name, *message;
	bool failed;
};

struct report {
	char *id, *title;
	char *metric;                 /* "cpu.time", of the tree */
	enum column_type metric_type; /* of the tree's values */
	char **lines;                 /* sentences, above the tables */
	size_t line_count;
	char **notes; /* sentences, below the tables */
	size_t note_count;
	struct report_table *tables;
	size_t table_count;
	struct report_tree_node *tree;
	size_t tree_count;
	struct report_check *checks;
	size_t check_count;
	bool failed;
};

struct report *report_new(const char *id, const char *title);
void report_free(struct report *report); /* NULL is fine */

/* 0, or -ENOMEM with a reason when something could not be added. */
int report_error(const struct report *report);

/*
 * What an analysis ends with: *to is the report; after a failure, its own or
 * `err`, it is freed, and *to is unchanged.  NULL is fine with a failure.
 */
int report_give(struct report **to, struct report *report, int err);

void report_line(struct report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void report_note(struct report *report, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A table; the pointer is valid until the next report_table(). */
struct report_table *report_table(struct report *report, const char *id,
				  const char *title);
/* All columns of the last table first; then cells fill its rows. */
void report_column(struct report *report, const char *id, const char *title,
		   enum column_type type);

/* The last column is spare: of several the last goes first. */
void report_spare(struct report *report);

/* The rows are sorted by the last column. */
void report_key(struct report *report);

/* Cells, from left to right; report_text(report, NULL) is report_none(). */
void report_text(struct report *report, const char *text);
/* For readers `said`, and where another row of the column has the same `apart`.
 */
void report_path(struct report *report, const char *text, const char *said,
		 const char *apart);
void report_number(struct report *report, double value);
/* A share with its margin, 0 … 1; text alone shows the latter. */
void report_share(struct report *report, double value, double margin);
void report_count(struct report *report, uint64_t value);
void report_spark(struct report *report, const double *values, size_t count);
void report_none(struct report *report);

void report_tree(struct report *report, uint32_t depth, const char *name,
		 const char *place, double inclusive, double exclusive,
		 double share);

void report_check(struct report *report, const char *group, const char *name,
		  bool failed, const char *message);
