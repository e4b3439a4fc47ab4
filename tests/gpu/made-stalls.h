/* SPDX-License-Identifier: BSD-3-Clause */
/* made-stalls.h - kernels that are sampled: a mode of made.c. */
#pragma once

/* `path`: what stalls.s became; or with `how` "hot" a cubin of
   hotline.cu; else "", "reset", "beside", "killed", "closes" or "pauses". */
void stalls(const char *path, const char *how);
