/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp-place.h - the node of a thread's part of a parallel region in its own
 * tree, and the values there.  Programs begin the same few regions again and
 * again, so they are looked up once.
 *
 * Threads   The thread's own, as long as its tree.
 */
#pragma once

#include <stdint.h>

#include "live/layout.h"

enum {
	OMP_PLACES = 16 /* of each thread; a power of 2 */
};

enum omp_place_value {
	PLACE_WORK,
	PLACE_BARRIER,
	PLACE_LOCK,
	PLACE_REGIONS,
	PLACE_MEMBERS,
	PLACE_TIME,
	PLACE_VALUES
};

struct omp_place {
	live_ref team;    /* the region, in its master's tree; 0: none */
	live_ref outside; /* the member's root outside; 0: of the master */
	live_ref root;    /* in the region */
	uint64_t *values[PLACE_VALUES]; /* NULL: not looked up yet */
};

struct omp_places {
	struct omp_place at[OMP_PLACES];
};

struct thread;

/* NULL: no memory. */
struct omp_place *omp_place_make(struct thread *t, struct omp_place *place,
				 live_ref team, live_ref outside);
/* Look up a value for the first time; NULL: no memory. */
uint64_t *omp_place_look_up(struct thread *t, struct omp_place *place,
			    enum omp_place_value which);

static inline struct omp_place *omp_place_find(struct thread *t,
					       struct omp_places *places,
					       live_ref team, live_ref outside)
{
	struct omp_place *p = &places->at[team * 0x9e3779b1u >> 28];

	_Static_assert(OMP_PLACES == 1 << 4, "as many as a hash has");
	return p->team == team && p->outside == outside
		       ? p
		       : omp_place_make(t, p, team, outside);
}

static inline void omp_place_add(struct thread *t, struct omp_place *place,
				 enum omp_place_value which, uint64_t value)
{
	uint64_t *to = place->values[which];

	if (value && !to)
		to = omp_place_look_up(t, place, which);
	if (to)
		*to += value;
}
