/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-waits.h - who made whom wait in collective calls of devices (NCCL).
 *
 * A call is one kernel on each rank's device.  The kernel that begins last is
 * the one that the others waited for; what they take from then on is transfer.
 * The last one was late because its host launched late, up to the launch, or
 * else because its device had other kernels to do.
 *
 * Memory     is bounded: records that do not fit make the level grow, as of
 *            match-events.h.
 */
#pragma once

#include "run/gatherer.h"
#include "waits/clocks.h"
#include "waits/match-events.h"

#define DEVICE_RECORDS ((size_t)64 << 20) /* bytes */

struct device_waits; /* a state of the gatherer */

extern const struct gatherer gatherer_device_waits;

/*
 * run->collectives.  The events' series say where hosts were.  0, or -ENOMEM
 * with a reason.
 */
int device_waits_make(struct run *run, struct device_waits *state,
		      const struct matched_events *events,
		      const struct clocks *clocks);
