/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-names.h - what the driver calls its devices: CUPTI tells it only to
 * whom was there when CUDA began.
 */
#ifndef CUDA_DEVICE_NAMES_H
#define CUDA_DEVICE_NAMES_H

#include <stdbool.h>

#include "cuda/cupti.h"

/*
 * Tells the collector, once; calls functions of the driver, whose callbacks are
 * the caller's to leave out.  False: the driver does not know yet.
 */
bool device_names_report(void);

/* The same of the device alone: which it is, for all processes. */
bool device_uuid(int device, CUuuid *uuid);

#endif
