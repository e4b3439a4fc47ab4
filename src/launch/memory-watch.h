/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory-watch.h - reads once a second how much memory the processes of one
 * `copse run` hold, and writes it into their live profiles.
 */
#pragma once

#include "launch/harvest.h"
#include "launch/memory-limits.h"

struct watched_process; /* one that has a live profile */

struct memory_watch {
	struct memory_limits limits;
	uint64_t kills;     /* when the program began */
	uint64_t listed_ns; /* when the folder had changed last */
	struct watched_process *at;
	size_t count, room;
	bool pages; /* with --heap=on: of which kind and where they are, too */
};

void memory_watch_start(struct memory_watch *w);
void memory_watch_fini(struct memory_watch *w);

void memory_watch_look(struct memory_watch *w, const struct harvest *h,
		       uint64_t now);

/* The program has ended.  `peak`: bytes, of it and all that it waited for. */
void memory_watch_end(struct memory_watch *w, const struct harvest *h,
		      uint64_t peak);
