/* SPDX-License-Identifier: BSD-3-Clause */
/* waits.c - clocks, waits, their causes and the timeline, one after another. */
#include <stdlib.h>

#include "base/err.h"
#include "waits/device-slices.h"
#include "waits/device-waits.h"
#include "waits/timeline/time-bins.h"
#include "waits/timeline/steps.h"
#include "waits/wait-find.h"
#include "waits/waits.h"

static void add_waited(struct run_waits *to, const struct wait_state *waits,
		       const struct matched_events *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		const struct event_record *p = &parts->at[i];
		struct run_wait_rank *r = &to->ranks[p->process];
		double ns = match_weight(parts, p) * (double)waits[i].ns;

		r->waited_ns += ns;
		if (p->main)
			r->main_ns += ns;
	}
}

int waits_make(struct run *run, const struct gathered_waits *from)
{
	struct matched_events *parts = from->events;
	struct run_waits *to = &run->waits;
	struct clocks clocks = { 0 };
	struct wait_state *waits = NULL;
	int err;

	match_join(parts, run);
	to->joined = parts->joined;
	to->rank_count = run->rank_count;
	to->ranks = calloc(run->rank_count + 1, sizeof(*to->ranks));
	waits = calloc(parts->count + 1, sizeof(*waits));
	err = to->ranks && waits ? clocks_align(&clocks, parts, run->rank_count)
				 : no_memory();
	if (!err)
		err = waits_find(to, waits, parts, &clocks, run);
	if (!err) {
		to->joined.clocks = (uint32_t)clocks.count;
		to->joined.unbound = (uint32_t)clocks.unbound;
		to->joined.clock_error_ns = clocks.error_max;
		add_waited(to, waits, parts);
		err = waits_blame(to, waits, parts, &clocks, run);
	}
	if (!err)
		err = time_bins_make(run, parts, waits, &clocks, from->gpus);
	if (!err && run->timeline.axis_count)
		err = operations_keep(run, parts, waits, &clocks);
	if (!err)
		err = steps_make(run, from->steps, parts, &clocks, from->gpus);
	if (!err)
		err = device_waits_make(run, from->devices, parts, &clocks);
	if (!err)
		err = device_slices_make(run, from->slices, parts, &clocks);
	clocks_fini(&clocks);
	free(waits);
	return err;
}
