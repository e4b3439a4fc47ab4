/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernels.h - the names of kernels, as CUPTI's records point to them.
 *
 * Threads   One at a time.
 */
#ifndef CUDA_KERNELS_H
#define CUDA_KERNELS_H

struct region_name;

/* NULL: no memory. */
struct region_name *kernel_name(const char *text);

#endif
