/* SPDX-License-Identifier: BSD-3-Clause */
/* power-tables.h - the tables /gpu-power of run.h5 that have rows. */
#ifndef RUN_POWER_TABLES_H
#define RUN_POWER_TABLES_H

#include "run/run.h"

struct store;
void power_tables_put(struct store *s, const struct run_energy *energy);
void power_tables_get(struct store *s, struct run_energy *energy);
/* Every index leads somewhere. */
void power_tables_check(struct store *s, const struct run *run);

#endif
