/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-names.h - the driver's names of its devices.  CUPTI reports them only
 * to tools that were there when CUDA began.
 */
#pragma once

#include <stdbool.h>

#include "cuda/cupti.h"

/*
 * Report the names to the collector, once.  This calls functions of the driver;
 * the caller ignores their callbacks.  False: the driver is not ready yet.
 */
bool device_names_report(void);

/* The UUID of a device, which is the same in all processes. */
bool device_uuid(int device, CUuuid *uuid);
