/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernels.h - the names of kernels, found by the pointers in CUPTI's records.
 *
 * Threads   One at a time.
 */
#ifndef CUDA_KERNELS_H
#define CUDA_KERNELS_H

struct region_name;

/* NULL: out of memory. */
struct region_name *kernel_name(const char *text);

#endif
