/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * show.h - what commands that print a report share: its runs, its format and
 * where it goes.
 */
#ifndef TOOLS_SHOW_H
#define TOOLS_SHOW_H

#include <stddef.h>

#include "analyse/report.h"
#include "merge/run.h"
#include "present/exporter.h"

/* The options, as they were given; NULL: not. */
struct show {
	const char *format, *table, *output, *colour, *idle_threads;
	unsigned int width;
};

/* Of the option --width: unsigned int *, from PAGE_LEAST up. */
int show_set_width(void *to, const char *text);

/* The exporter of the format, text by default; NULL with a reason. */
const struct exporter *show_exporter(const struct show *show);

/* Writes the report to the output.  0, or -errno with a reason. */
int show_report(const struct show *show, const struct exporter *exporter,
		const struct report *report);

/* Profiles in the order of a command's words. */
struct shown_runs {
	struct run **at; /* ended by NULL */
	const char **names;
	size_t count;
	size_t base; /* so many come before the word "vs"; 0: there is none */
};

/*
 * Opens what the words name, without "vs".  0; -EINVAL with a reason where that
 * word is not between two profiles; else -errno with a reason.
 */
int shown_runs_open(struct shown_runs *runs, char *const *words, size_t count);

/* Then, unless the option says "on", idle-threads.h.  0, or -errno. */
int shown_runs_idle(const struct show *show, const struct shown_runs *runs);
void shown_runs_close(struct shown_runs *runs);

#endif
