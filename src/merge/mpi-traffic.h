/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-traffic.h - gather what all ranks keep of their MPI calls, while the
 * profiles pass one at a time, and make the run's of it.
 *
 * Memory   follows the call sites, the communicators and the pairs of ranks
 *          that exchanged something; of many pairs peers are put together.
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "run/run.h"
#include "profile/profile.h"

#define TRAFFIC_PEERS ((size_t)4 << 20) /* rows, at most */

struct traffic {
	struct run_calls sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names; /* of communicators */
	struct map comms, sites, sizes, peers;
	size_t comm_room, site_room, size_room, peer_room;
	size_t most_peers;
};

int traffic_init(struct traffic *traffic, size_t most_peers);
void traffic_fini(struct traffic *traffic);

/* What one process has; as match_add().  0, or -ENOMEM with a reason. */
int traffic_add(struct traffic *traffic, const struct profile *profile,
		uint32_t process, const uint32_t *nodes);

/* The nodes of the unified tree that it refers to. */
void traffic_wanted(const struct traffic *traffic, bool *wanted);

/* run->calls, with its names; traffic is empty then.  0, or -ENOMEM. */
int traffic_finish(struct traffic *traffic, struct run *run,
		   const uint32_t *order, const uint32_t *became);
