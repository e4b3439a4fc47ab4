/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - the names, the limits and the sharing of GPUs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "cuda/cupti.h"

/*
 * device-names.c: the driver's names of its devices.  CUPTI reports them only
 * to tools that were there when CUDA began.
 */

/*
 * Report the names to the collector, once.  This calls functions of the driver;
 * the caller ignores their callbacks.  False: the driver is not ready yet.
 */
bool device_names_report(void);

/* The UUID of a device, which is the same in all processes. */
bool device_uuid(int device, CUuuid *uuid);

/*
 * device-claim.c: lets only one of the processes that share a GPU sample its
 * kernels.  CUPTI 13.0 lets all of them begin; then all but one get no more
 * callbacks or records of any kind.
 *
 * A claim is an abstract socket name.  The kernel gives it to one process of
 * the machine, for all users, and takes it back when the process ends.
 * Containers with a network namespace of their own do not see the claims of
 * others.
 */

struct claim {
	int fd;      /* -1: none; the program may close and reuse it: … */
	ino_t inode; /* … then this differs */
};

/* False: another process has it.  True also when no process can claim. */
bool device_claim(uint32_t device, struct claim *claim);

/* A forked child calls this, too; its parent keeps the claim. */
void device_unclaim(struct claim *claim);

/* device-limits.c: what limits the occupancy of a device, by the driver. */

/* Report them to the collector.  Call this in a callback. */
void limits_report(uint32_t device);
