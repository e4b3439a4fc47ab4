/* SPDX-License-Identifier: BSD-3-Clause */
/* device-limits.h - what limits the occupancy of a device, by the driver. */
#pragma once

#include <stdint.h>

/* Report them to the collector.  Call this in a callback. */
void limits_report(uint32_t device);
