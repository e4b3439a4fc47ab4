/* SPDX-License-Identifier: BSD-3-Clause */
/* omp-place.c - see omp-place.h. */
#include "collect/threads/omp-place.h"

#include "collect/thread.h"

static const uint32_t metrics[] = {
	[PLACE_WORK] = METRIC_OMP_WORK,
	[PLACE_BARRIER] = METRIC_OMP_BARRIER,
	[PLACE_LOCK] = METRIC_OMP_LOCK,
	[PLACE_REGIONS] = METRIC_OMP_REGIONS,
	[PLACE_MEMBERS] = METRIC_OMP_MEMBERS,
	[PLACE_TIME] = METRIC_OMP_TIME,
};

struct omp_place *omp_place_make(struct thread *t, struct omp_place *place,
				 live_ref team, live_ref outside)
{
	live_ref root = team;

	if (outside)
		root = thread_open() ? tree_child(&t->tree, outside,
						  LIVE_NODE_BELOW, 0, team)
				     : 0;
	if (!root)
		return NULL;
	*place = (struct omp_place){ team, outside, root, { 0 } };
	t->has_places = true;
	return place;
}

uint64_t *omp_place_look_up(struct thread *t, struct omp_place *place,
			    enum omp_place_value which)
{
	if (thread_open())
		place->values[which] =
			tree_value(&t->tree, place->root, metrics[which]);
	if (!place->values[which])
		thread_lost(t, LOSS_DROPPED_FULL);
	return place->values[which];
}
