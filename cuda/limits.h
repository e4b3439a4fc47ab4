/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - what a device has of what kernels share, asked of the driver. */
#ifndef CUDA_LIMITS_H
#define CUDA_LIMITS_H

#include <stdint.h>

/* On a thread of the program's, in a callback. */
void limits_report(uint32_t device);

#endif
