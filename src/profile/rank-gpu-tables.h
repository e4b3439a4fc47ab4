/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-gpu-tables.h - the tables /gpu-memory, /gpu-launches and /gpu-power of
 * rank-N.h5, as far as they have rows.
 *
 * Failure   As the store's: kept in it.
 */
#ifndef PROFILE_RANK_GPU_TABLES_H
#define PROFILE_RANK_GPU_TABLES_H

#include "profile/profile.h"
#include "profile/store.h"

void rank_facts_put(struct store *s, const struct profile *p);
void rank_facts_get(struct store *s, struct profile *p);

/* Every index leads somewhere. */
void rank_facts_check(struct store *s, const struct profile *p);

#endif
