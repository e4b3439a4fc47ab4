/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format.h - bytes out: of a report, or of a run, all of it, row by row, for
 * other programs.  A format is one file and its word in FORMATS of
 * src/format/local.mk.  It never computes: what is shown stands in the report,
 * or in the run.
 *
 * Failure   0, or -errno with a reason; what `to` says is the caller's to
 * check.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analyse/summary/overview.h"
#include "analyse/ranks/rank-choice.h"
#include "run/run.h"

struct format_style {
	bool colour, utf8;
	unsigned int width; /* of the terminal, in columns */
	unsigned int names; /* columns that names keep, also beyond the width;
			       0: they give way */
	const char *table;  /* csv: the table to write, NULL: the first */
};

struct format_choice {
	const char *metric;    /* values: this one; others: what is shown first;
				  NULL: not chosen */
	bool by_rank, by_node; /* of these only */
	const struct rank_choice *ranks; /* those, or those shown apart */
	uint64_t node;                   /* an index */
};

struct format {
	const char *name, *help;

	/* Of a report; NULL: it takes none. */
	int (*write_report)(FILE *to, const struct report *report,
			    const struct format_style *style);
	/* Of all that there is to see of a run; NULL: it takes none. */
	int (*write_overview)(FILE *to, const struct overview *overview);
	bool tables, tree; /* what it can write of a report */
	bool checks;       /* and nothing that has none */

	/* Of a run; NULL: it takes none. */
	int (*write_run)(FILE *to, const struct run *run,
			 const struct format_choice *choice);
	/* The same into a directory that it makes; NULL: it writes a file. */
	int (*write_directory)(const char *directory, const struct run *run,
			       const struct format_choice *choice);
	bool by_metric, by_rank, by_node; /* what of a choice it heeds */
	size_t apart; /* so many ranks are chosen where the user names none */
	bool binary;  /* not for a terminal */
};

/* Every format, ended by NULL; the first is the default for reports. */
extern const struct format *const formats[];
const struct format *format_find(const char *name); /* or NULL */
