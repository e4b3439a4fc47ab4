/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tables.h - the database as three tables of CSV, times in seconds: contexts,
 * processes, and what each process has in each context.
 */
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include <stdio.h>

#include "merge/run.h"

/* As in struct export; no metric comes first. */
int tables_nodes(FILE *to, const struct run *run, const char *metric);
int tables_ranks(FILE *to, const struct run *run, const char *metric);
int tables_values(FILE *to, const struct run *run, const char *metric);

#endif
