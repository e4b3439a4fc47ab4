/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * source-lines.h - the text of the source lines that take most, with those
 * around them, where their files can be read here.
 */
#pragma once

#include <limits.h>
#include <sys/stat.h>

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

/*
 * source-open.c: opens the source file that a profile names, if a page may
 * have its lines.
 *
 * Whoever made the profile chose the name, and may have made the tree that it
 * leads into: so a link could make a page show any file of its reader's.  No
 * link is followed but in front of the tree: in the working directory and in
 * HOME as their user calls them, and those of the system, which root alone can
 * have put there.  (For root they are not distinguished.)
 */

/*
 * To read, with the path that it really has.  A relative name is looked for
 * from the working directory, and from each folder that the module is in.
 * -errno with a reason that says it of "it".
 */
int source_open(const char *name, const char *module, char path[PATH_MAX],
		struct stat *st);
