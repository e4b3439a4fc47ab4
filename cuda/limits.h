/* SPDX-License-Identifier: BSD-3-Clause */
/* limits.h - what limits the occupancy of a device, as the driver reports it.
 */
#ifndef CUDA_LIMITS_H
#define CUDA_LIMITS_H

#include <stdint.h>

/* Report them to the collector.  Call this in a callback. */
void limits_report(uint32_t device);

#endif
