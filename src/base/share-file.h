/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * share-file.h - text files that copse brings along and users add to: NAME and
 * a suffix, in the user's own folder, then in copse's.
 */
#pragma once

#include <limits.h>
#include <stdio.h>

struct share_kind {
	const char *own;    /* variable that names the user's folder, or NULL */
	const char *folder; /* "events": beside the command, and installed */
	const char *installed; /* its path */
	const char *suffix;    /* ".ev" */
};

/*
 * The first regular file of that name, or that with a '/' in its name; or
 * NULL, and errno is EINVAL when what has the name is no regular file.
 */
FILE *share_open(const struct share_kind *kind, const char *name);

/*
 * The names of all, each once, in alphabetical order, ended by NULL, in one
 * piece for free(); NULL when out of memory.
 */
char **share_names(const struct share_kind *kind);

/* The text without blanks at its ends, in place. */
char *share_trim(char *text);

/*
 * A line's first word, without its comment ('#' first, or behind a blank), and
 * *rest, the text behind it; in place.  "": there is none.
 */
char *share_line(char *line, char **rest);

/* install-dir.c: the folder from which copse runs. */

/*
 * The folder of the running command, without a closing '/'.  In a build tree
 * that is the tree's root.  0, or -errno with a reason.
 */
int install_dir(char to[PATH_MAX]);
