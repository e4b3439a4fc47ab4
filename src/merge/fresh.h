/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fresh.h - whether the database beside rank files still is what a merge would
 * make of them, and when it is better than that.
 */
#ifndef MERGE_FRESH_H
#define MERGE_FRESH_H

#include <stdbool.h>

#include "run/run.h"

/*
 * No file of the directory is younger.  One of the same age is none: what
 * copies files may keep no more of their times than seconds.
 */
bool fresh_is(const char *database, const char *directory);

/*
 * Where the programs of a run are not (a profile was copied), a merge has fewer
 * names than the database that it would replace.  *kept: so it is, *to is freed
 * and becomes that database, with a problem that says so.  0, or -ENOMEM with a
 * reason.
 */
int fresh_keep(struct run **to, const char *database, bool *kept);

#endif
