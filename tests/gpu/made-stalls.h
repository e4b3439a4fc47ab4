/* SPDX-License-Identifier: BSD-3-Clause */
/* made-stalls.h - kernels that are sampled: a mode of made.c. */
#ifndef TESTS_GPU_MADE_STALLS_H
#define TESTS_GPU_MADE_STALLS_H

/* `path`: what stalls.s became; or with `how` "hot" a cubin of
   hotline.cu; else "", "reset", "beside", "killed", "closes" or "pauses". */
void stalls(const char *path, const char *how);

#endif
