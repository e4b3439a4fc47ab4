/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * footprint.h - the memory that a process held over time: read by the parent
 * and kept in the live profile's header, so that it outlives both.
 *
 * Readings   The last FOOTPRINT_RECENT, in a ring; and of all the time at most
 *            FOOTPRINT_SPACED, whose distance doubles when there are more: each
 *            is the one with most memory up to the next.
 * Writers    One; whoever copies it meanwhile may get a reading of which a part
 *            is the one before.
 */
#pragma once

#include <stdint.h>

enum {
	FOOTPRINT_SPACED = 64,
	FOOTPRINT_RECENT = 16
};

struct footprint_reading {
	uint64_t ns;        /* CLOCK_MONOTONIC */
	uint64_t resident;  /* bytes of the process */
	uint64_t available; /* on the host */
	uint64_t group;     /* that its control group holds; 0: no limit */
};

struct live_footprint {
#define COLUMN(type, name, ...) type name;
#define ADDED                   COLUMN
#include "live/footprint.def"
#undef COLUMN
#undef ADDED
	uint64_t every_ns; /* between two that are spaced */
	uint64_t due_ns;   /* of the next one */
	uint64_t count;    /* of them */
	struct footprint_reading spaced[FOOTPRINT_SPACED];
	struct footprint_reading recent[FOOTPRINT_RECENT];
};

void footprint_add(struct live_footprint *to,
		   const struct footprint_reading *reading);
