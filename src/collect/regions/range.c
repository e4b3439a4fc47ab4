/* SPDX-License-Identifier: BSD-3-Clause */
/* range.c - open ranges stand in a table, and belong to no thread. */
#include "collect/regions/range.h"

#include "collect/collect.h"
#include "collect/gpu/gpu-slices.h"
#include "collect/gpu/gpu-spans.h"
#include "collect/regions/phase.h"
#include "collect/control.h"
#include "collect/lock.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/source.h"
#include "base/hidden.h"

enum {
	OPEN_MOST = 4096,
};

struct open_range {
	uint64_t id; /* 0: free */
	struct region_name *name;
	uint64_t start_ns, paused_ns;
};

/* Mutable: of the process, under the lock. */
static struct {
	struct lock lock;
	uint64_t last; /* id */
} ranges RESET_AT_FORK;
static struct open_range open_ranges[OPEN_MOST];

/* NVTX asks once: its first ranges often begin before GPUs are used. */
PUBLIC bool copse_ranges_wanted(void)
{
	if (collect_active() && collect_settings()->gpu) {
		gpu_spans_wanted();
		gpu_slices_begin();
	}
	return collect_active() && collect_settings()->nvtx_start_end;
}

/* Another is open since OPEN_MOST ids: this one is not kept. */
static uint64_t keep_range(struct open_range range)
{
	struct open_range *to;

	lock_take(&ranges.lock);
	range.id = ++ranges.last;
	to = &open_ranges[range.id % OPEN_MOST];
	if (to->id)
		range.id = 0;
	else
		*to = range;
	lock_give(&ranges.lock);
	return range.id;
}

static struct open_range take_range(uint64_t id)
{
	struct open_range *at = &open_ranges[id % OPEN_MOST];
	struct open_range range = { 0 };

	lock_take(&ranges.lock);
	if (id && at->id == id) {
		range = *at;
		at->id = 0;
	}
	lock_give(&ranges.lock);
	return range;
}

/* Below the root itself: in no phase, whichever is open. */
static live_ref node_of(struct thread *t, struct region_name *name)
{
	live_ref root = t->live->nodes +
			(live_ref)(sizeof(struct live_chunk) / LIVE_UNIT);
	uint32_t index;

	return registry_name(name, &index)
		       ? tree_child(&t->tree, root, LIVE_NODE_NAMED, index, 0)
		       : 0;
}

static void add_range_value(struct region_name *name, enum metric metric,
			    uint64_t value)
{
	struct live_header *header = registry_header();
	struct thread *t = thread_use();
	live_ref node;

	if (!t) {
		if (header)
			__atomic_fetch_add(&header->losses[LOSS_DROPPED_THREAD],
					   1, __ATOMIC_RELAXED);
		return;
	}
	node = node_of(t, name);
	if (!node || !tree_add(&t->tree, node, metric, value))
		thread_lost(t, LOSS_DROPPED_FULL);
	thread_release(t);
}

PUBLIC uint64_t copse_range_start(const char *text)
{
	struct region_name *name = thread_self() ? phase_name(text) : NULL;
	struct open_range range = { .name = name };

	if (!name || collect_paused())
		return 0;
	add_range_value(name, METRIC_RANGE_CALLS, 1);
	range.paused_ns = control_paused_ns();
	range.start_ns = time_now(CLOCK_MONOTONIC);
	return keep_range(range);
}

PUBLIC void copse_range_end(uint64_t id)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	struct open_range range = take_range(id);
	uint64_t paused, took;

	if (!range.id)
		return;
	paused = control_paused_ns() - range.paused_ns;
	took = now - range.start_ns;
	if (took > paused)
		add_range_value(range.name, METRIC_RANGE_TIME, took - paused);
}

AT_FORK static void range_forked(void)
{
	lock_open(&ranges.lock);
	/* Memory that was never touched stays so. */
	for (size_t i = 0; ranges.last && i < OPEN_MOST; i++)
		if (open_ranges[i].id)
			open_ranges[i].id = 0;
}

const struct source source_range = {
	.fork = range_forked,
};
