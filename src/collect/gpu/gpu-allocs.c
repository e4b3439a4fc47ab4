/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-allocs.c - events in the order of time, and what they leave live. */
#include "collect/gpu/gpu-allocs.h"

#include "base/hidden.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "collect/source.h"

enum {
	QUEUE = 32768,
};
#define PATIENCE_NS ((uint64_t)1500000000)

/* Mutable: the process's events that wait, a heap by time, then by arrival. */
static struct {
	struct lock lock;
	uint32_t generation;
	struct waiting {
		struct gpu_live_event event;
		uint64_t order;
	} * queue;
	uint32_t count;
	uint64_t arrived;
	uint64_t taken_ns; /* of the last event that was taken */
} memory RESET_AT_FORK;

static bool is_event_before(const struct waiting *a, const struct waiting *b)
{
	return a->event.ns != b->event.ns ? a->event.ns < b->event.ns
					  : a->order < b->order;
}

static void swap_waiting(uint32_t i, uint32_t j)
{
	struct waiting kept = memory.queue[i];

	memory.queue[i] = memory.queue[j];
	memory.queue[j] = kept;
}

static void push_allocation(const struct gpu_live_event *event)
{
	uint32_t i = memory.count++;

	memory.queue[i] = (struct waiting){ *event, memory.arrived++ };
	for (;
	     i && is_event_before(&memory.queue[i], &memory.queue[(i - 1) / 2]);
	     i = (i - 1) / 2)
		swap_waiting(i, (i - 1) / 2);
}

static void pop_waiting(void)
{
	uint32_t i = 0, least;

	memory.queue[0] = memory.queue[--memory.count];
	for (;; i = least) {
		least = i;
		for (uint32_t j = 2 * i + 1; j <= 2 * i + 2; j++)
			if (j < memory.count &&
			    is_event_before(&memory.queue[j],
					    &memory.queue[least]))
				least = j;
		if (least == i)
			return;
		swap_waiting(i, least);
	}
}

static void take_first_event(void)
{
	const struct gpu_live_event *event = &memory.queue[0].event;

	if (event->ns < memory.taken_ns)
		copse_gpu_lost(LOSS_GPU_MEMORY_LATE, 1);
	else
		memory.taken_ns = event->ns;
	gpu_live_take(event);
	pop_waiting();
}

/* All that no earlier one is waited for. */
static void settle_events(bool all)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);

	while (memory.count &&
	       (all || memory.queue[0].event.ns + PATIENCE_NS <= now))
		take_first_event();
}

/* For this live profile; false: there is none. */
static bool open_memory(void)
{
	struct arena *arena = registry_await();

	if (!arena)
		return false;
	if (memory.queue && memory.generation == registry_generation())
		return true;
	if (!memory.queue)
		memory.queue = sys_memory(QUEUE * sizeof(*memory.queue));
	memory.count = 0;
	memory.taken_ns = 0;
	memory.generation = registry_generation();
	gpu_live_reset(arena);
	return memory.queue;
}

/* The call is counted at once, whatever becomes of the process. */
static void add_allocation(const struct gpu_memory *m)
{
	struct gpu_noted noted = gpu_noted(m->id);
	struct gpu_live_event event = {
		.ns = m->ns,
		.address = m->address,
		.bytes = m->bytes,
		.what = m->what,
		.context = m->context,
		.node = noted.node,
		.thread = noted.thread,
		.why = (uint16_t)noted.why,
		.wanted = noted.wanted &&
			  (m->id || m->what == GPU_MEMORY_ALLOCATED),
	};

	if (m->what == GPU_MEMORY_ALLOCATED)
		event.entry = gpu_live_allocated(&event, m->kind, m->device);
	if (memory.count == QUEUE)
		take_first_event();
	push_allocation(&event);
}

PUBLIC void copse_gpu_memory(const struct gpu_memory *events, size_t count)
{
	lock_take(&memory.lock);
	if (count && open_memory())
		for (size_t i = 0; i < count; i++)
			if (events[i].address ||
			    events[i].what == GPU_MEMORY_CONTEXT)
				add_allocation(&events[i]);
	lock_give(&memory.lock);
}

PUBLIC void copse_gpu_memory_settle(bool all)
{
	lock_take(&memory.lock);
	if (memory.count && open_memory())
		settle_events(all);
	lock_give(&memory.lock);
}

PUBLIC bool copse_gpu_memory_wanted(void)
{
	return collect_settings()->gpu_memory;
}

AT_FORK static void gpu_memory_forked(void)
{
	lock_open(&memory.lock);
}

const struct source source_gpu_allocs = {
	.fork = gpu_memory_forked,
};
