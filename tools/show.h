/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * show.h - what commands that print a report share: its runs, its format and
 * where it goes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyse/base/report.h"
#include "run/run.h"
#include "format/format.h"

/* The options, as they were given; NULL: not. */
struct show {
	const char *format, *table, *output, *colour, *idle_threads;
	unsigned int width;
	bool checks; /* the command's reports have some: copse gate */
};

/* Of the option --width: unsigned int *, from PAGE_LEAST up. */
int show_set_width(void *to, const char *text);

/* Words of options: formats of reports, those of tables alone, metrics. */
const char *show_format(size_t i, const char **help);
const char *show_table_format(size_t i, const char **help);
const char *show_metric(size_t i, const char **help);

/* The format that was chosen, text by default; NULL with a reason. */
const struct format *show_chosen(const struct show *show);

/* Writes the report to the output.  0, or -errno with a reason. */
int show_report(const struct show *show, const struct format *format,
		const struct report *report);

/* The same of an overview, in a format that writes one. */
int show_overview(const struct show *show, const struct format *format,
		  const struct overview *overview);

/*
 * On stderr, before a page goes anywhere: which files stay out of it, and why;
 * on a terminal also of which it has lines.
 */
void show_sources(const char *command, const struct overview *overview);

/* Profiles in the order of a command's words. */
struct shown_runs {
	struct run **at; /* ended by NULL */
	const char **names;
	size_t count;
	size_t base;   /* so many come before the word "vs"; 0: there is none */
	char **picked; /* what these are, as pick.h says; owned */
};

/*
 * Opens what the words of that command name, without "vs".  0; -EINVAL with a
 * reason where that word is not between two profiles; else -errno with a
 * reason.
 */
int shown_runs_open(struct shown_runs *runs, const char *command,
		    char *const *words, size_t count);

/* Then, unless the option says "on", idle-threads.h.  0, or -errno. */
int shown_runs_idle(const struct show *show, const struct shown_runs *runs);
void shown_runs_close(struct shown_runs *runs);
