/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export.h - a run in, bytes out: all of it, for other programs.  Reports are
 * for what fits in them; this writes row by row what may be as large as the
 * database.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdio.h>

#include "merge/run.h"

struct export
{
	const char *name, *help;
	/*
	 * `metric`, or NULL, is the one that readers look at first.  0, or
	 * -errno with a reason; what `to` says is the caller's to check.
	 */
	int (*write)(FILE * to, const struct run *run, const char *metric);
};

/* Every export, ended by a row without a name. */
extern const struct export exports[];
const struct export *export_find(const char *name); /* or NULL */

#endif
