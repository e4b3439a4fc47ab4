/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * export.h - a run in, bytes out: all of it, for other programs.  Reports are
 * for what fits in them; this writes row by row what may be as large as the
 * database.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "merge/run.h"

struct export_choice {
	const char *metric; /* values: this one; hatchet: what is shown first;
			       NULL: not chosen */
	bool by_rank, by_node; /* values: of these only */
	uint64_t rank, node;   /* as reports call a process; an index */
};

struct export
{
	const char *name, *help;
	bool by_metric, by_part; /* what of a choice it heeds: metric; rank and
				    node */
	/*
	 * 0, or -errno with a reason; what `to` says is the caller's to check.
	 */
	int (*write)(FILE * to, const struct run *run,
		     const struct export_choice *choice);
};

/* Every export, ended by a row without a name. */
extern const struct export exports[];
const struct export *export_find(const char *name); /* or NULL */

#endif
