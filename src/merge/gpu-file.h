/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-file.h - the tables /gpu/… of run.h5; a file of version 1 has none. */
#ifndef MERGE_GPU_FILE_H
#define MERGE_GPU_FILE_H

#include "merge/run.h"
#include "profile/store.h"

void gpu_file_put(struct store *s, const struct run_gpu *gpu);
void gpu_file_get(struct store *s, struct run_gpu *gpu);

/* Every index leads somewhere. */
void gpu_file_check(struct store *s, const struct run *run);

#endif
