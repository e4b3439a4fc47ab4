/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * descriptor.h - descriptors of perf events that have to stay open inside the
 * measured program, with numbers that it does not meet.
 *
 * A program may close any number and get it again for something of its own,
 * so a descriptor is verified before each use.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/sigsafe.h"

struct descriptor {
	int number;  /* -1: none */
	bool below;  /* the limit: of those there are few */
	uint64_t id; /* of the perf event */
};

/*
 * Keep the event of `fd`, which is closed in any case.  `number` is -1 when
 * none is to be had above the program's limit, nor one of a few below it; and
 * when another thread is here just now and the caller does not want to wait.
 */
SIGSAFE struct descriptor descriptor_keep(int fd, bool wait);

/* Close it, if it is still ours. */
SIGSAFE void descriptor_drop(struct descriptor *d);

/* Does the number still mean that event? */
SIGSAFE bool descriptor_is_ours(const struct descriptor *d);
