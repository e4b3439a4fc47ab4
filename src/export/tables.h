/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables.h - the database as three tables of CSV, times in seconds: contexts,
 * processes, and what each process has in each context.
 */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <stdio.h>

#include "export/export.h"

/* As in struct export; only values are chosen from. */
int tables_nodes(FILE *to, const struct run *run,
		 const struct export_choice *choice);
int tables_ranks(FILE *to, const struct run *run,
		 const struct export_choice *choice);
int tables_values(FILE *to, const struct run *run,
		  const struct export_choice *choice);

#endif
