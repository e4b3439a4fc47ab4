/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * devices.h - gather which GPUs all ranks used and when, while the profiles
 * pass one at a time, and make the run's of it.
 *
 * Memory   follows devices, streams and nodes: of each device one timeline is
 *          kept, 16 KiB, and three when several processes share it.
 */
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "run/run.h"
#include "profile/profile.h"

struct timeline;

struct devices {
	struct run_gpu sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names;
	struct timeline *lines; /* one for each device */
	struct map found, works;
	size_t device_room, line_room, share_room, stream_room, work_room,
		rank_room, known_room;
	uint32_t unnamed; /* devices without a UUID: one for each process */
};

int devices_init(struct devices *devices);
void devices_fini(struct devices *devices);

/* What one process has; as traffic_add().  0, or -ENOMEM with a reason. */
int devices_add(struct devices *devices, const struct profile *profile,
		uint32_t process, const uint32_t *nodes);

/* Time inside calls of CUDA, on the thread of MPI_Init, else the first. */
uint64_t devices_offload(const struct profile *profile);

/* The nodes of the unified tree that it refers to. */
void devices_wanted(const struct devices *devices, bool *wanted);

/* run->gpu; devices is empty then.  0, or -ENOMEM with a reason. */
int devices_finish(struct devices *devices, struct run *run,
		   const uint32_t *order, const uint32_t *became);
