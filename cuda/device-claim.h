/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-claim.h - which of several processes samples the kernels of a GPU that
 * they share.  CUPTI 13.0 lets them all begin; then all but one get no
 * callback and no record any more, of anything.
 *
 * A claim is the name of a socket, without a file, that the kernel gives to one
 * process on the machine, whoever its user, and takes back when it ends.
 * Containers with a network of their own do not see each other's.
 */
#ifndef CUDA_DEVICE_CLAIM_H
#define CUDA_DEVICE_CLAIM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct claim {
	int fd;      /* -1: none; the program may close it, … */
	ino_t inode; /* … and have something else by this number */
};

/* false: another process has it; true without a claim: nobody can. */
bool device_claim(uint32_t device, struct claim *claim);

/* Also in a forked child, whose parent keeps it. */
void device_unclaim(struct claim *claim);

#endif
