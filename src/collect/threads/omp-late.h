/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-late.h - which member came last to a meeting of a team, a barrier or the
 * region's end, and how long the others waited for it.
 *
 * A member that comes writes this into a cache line of its own.  The master
 * reads these lines when it goes on.  By then no member can have come to the
 * meeting after the next one, so two places used in turns are enough.
 *
 * Threads   A member writes its own line, the master reads all.
 * Failure   Without memory the last member is not known.
 */
#pragma once

#include <stdint.h>

#include "collect/threads/omp-team.h"

struct omp_came {
	uint32_t number;  /* of the region … */
	uint32_t meeting; /* … and of the meeting in it */
	live_ref sampled; /* where the member was sampled last; 0: not yet */
	uint64_t at;      /* after the region began */
};

struct omp_slot {
	struct omp_came came[2];
} __attribute__((aligned(CACHE_LINE)));

/* The member's line; NULL: there is none. */
struct omp_slot *omp_slot_of_member(const struct omp_team *team,
				    uint32_t index);

static inline void omp_slot_came(struct omp_slot *slot,
				 const struct omp_team *team, uint32_t meeting,
				 live_ref sampled, uint64_t now)
{
	if (slot)
		slot->came[meeting % 2] =
			(struct omp_came){ team->number, meeting, sampled,
					   now - team->begin };
}

/* By the master, for a level at which no region is begun. */
void omp_slots_prepare(struct thread *t, uint32_t level, uint32_t members);

/*
 * By the master, after the meeting: adds what others waited for the last member
 * to the region (omp.late), and to where that member was (omp.blame).  passed:
 * the time since the meeting before.  If it is short, one meeting of several is
 * counted, with their number as its weight.
 */
void omp_late_count(struct thread *t, const struct omp_team *team,
		    uint32_t meeting, uint64_t passed);
