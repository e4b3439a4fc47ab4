/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-gpu-tables-file.h - the tables /gpu-memory/… and /gpu-launches/… of
 * run.h5, as far as they have rows.
 */
#ifndef RUN_RUN_GPU_TABLES_FILE_H
#define RUN_RUN_GPU_TABLES_FILE_H

#include "run/run.h"
#include "profile/store.h"

void facts_file_put(struct store *s, const struct run_facts *gpu);
void facts_file_get(struct store *s, struct run_facts *gpu);

/* Every index leads somewhere. */
void facts_file_check(struct store *s, const struct run *run);

#endif
