/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rank-gpu.h - the tables /gpu/… of rank-N.h5; files of version 1 have none.
 *
 * Failure   As the store's: kept in it.
 */
#ifndef PROFILE_RANK_GPU_H
#define PROFILE_RANK_GPU_H

#include "profile/profile.h"
#include "profile/store.h"

void rank_gpu_put(struct store *s, const struct profile *p);
void rank_gpu_get(struct store *s, struct profile *p);

/* Every index leads somewhere. */
void rank_gpu_check(struct store *s, const struct profile *p);

#endif
