/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - what a device has of what kernels share, asked of the driver. */
#ifndef CUDA_LIMITS_H
#define CUDA_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

/* On a thread of the program's, in a callback. */
void limits_tell(uint32_t device);

/* The calling thread asks just now: its calls are not the program's. */
bool limits_asking(void);

#endif
