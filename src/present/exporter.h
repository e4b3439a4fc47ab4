/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exporter.h - a report in, bytes out.  An exporter is one file and its word
 * in EXPORTERS of src/present/local.mk; it never computes.
 */
#ifndef PRESENT_EXPORTER_H
#define PRESENT_EXPORTER_H

#include <stdbool.h>
#include <stdio.h>

#include "analyse/report.h"

struct exporter_style {
	bool colour, utf8;
	unsigned int width; /* of the terminal, in columns */
	unsigned int names; /* columns that names keep, also beyond the width;
			       0: they give way */
	const char *table;  /* csv: the table to write, NULL: the first */
};

struct exporter {
	const char *name, *help;
	bool tables, tree; /* what it can write */
	/* 0, or -errno with a reason; what `to` says is the caller's to check.
	 */
	int (*write)(FILE *to, const struct report *report,
		     const struct exporter_style *style);
};

/* Every exporter, ended by NULL; the first is the default. */
extern const struct exporter *const exporters[];
const struct exporter *exporter_find(const char *name); /* or NULL */

#endif
