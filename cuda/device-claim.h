/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-claim.h - lets only one of the processes that share a GPU sample its
 * kernels.  CUPTI 13.0 lets all of them begin; then all but one get no more
 * callbacks or records of any kind.
 *
 * A claim is an abstract socket name.  The kernel gives it to one process of
 * the machine, for all users, and takes it back when the process ends.
 * Containers with a network namespace of their own do not see the claims of
 * others.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct claim {
	int fd;      /* -1: none; the program may close and reuse it: … */
	ino_t inode; /* … then this differs */
};

/* False: another process has it.  True also when no process can claim. */
bool device_claim(uint32_t device, struct claim *claim);

/* A forked child calls this, too; its parent keeps the claim. */
void device_unclaim(struct claim *claim);
