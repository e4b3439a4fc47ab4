/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source-lines.h - the text of the source lines that take most, with those
 * around them, where their files can be read here.
 */
#pragma once

#include "run/run.h"

struct source_line {
	uint32_t number;
	char *text; /* without its end */
};

struct source_file {
	uint32_t name; /* string of the run */
	char *path;    /* what was read, or NULL: it stays out, … */
	char *refused; /* … and why: a sentence of "it" */
	bool changed;  /* since the run began */
	struct source_line *lines;
	size_t count, room;
};

struct source_lines {
	struct source_file *files;
	size_t count;
};

/* By a metric.  0, or -ENOMEM with a reason. */
int source_lines_init(struct source_lines *s, const struct run *run,
		      const struct run_metric *metric);
void source_lines_fini(struct source_lines *s);
