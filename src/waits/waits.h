/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.h - who made whom wait: what a merge asks for. */
#pragma once

#include "run/run.h"

struct matched_events;
struct gpu_bins;
struct steps;
struct device_slices;
struct device_waits;

struct gathered_waits { /* the states of these gatherers */
	struct matched_events *events;
	const struct gpu_bins *gpus;
	const struct steps *steps;
	struct device_waits *devices;
	struct device_slices *slices;
};

/*
 * run->waits, run->timeline, run->iterations and run->slices, once the run has
 * its ranks and nodes.  The records of events become those that match.  0, or
 * -ENOMEM with a reason.
 */
int waits_make(struct run *run, const struct gathered_waits *from);

/*
 * wait-clip.c: once values can be asked for.  No rank waited longer in a call
 * than it was in it.  0, or -errno with a reason.
 */
int waits_bound(struct run *run);
