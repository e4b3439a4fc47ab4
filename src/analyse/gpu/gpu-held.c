/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-held.c - gathers the nodes of memory, and reads timelines. */
#include "analyse/gpu/gpu-held.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "base/err.h"
#include "base/map.h"
#include "base/comparison.h"
#include "live/layout.h"

static const struct {
	const char *name, *kind;
} kinds[LIVE_MEMORY_KINDS] = {
#define MEMORY(id, name, kind) [LIVE_MEMORY_##id] = { name, kind },
#include "live/memories.def"
#undef MEMORY
};

const char *gpu_held_kind(const char *name, uint32_t *kind)
{
	for (uint32_t i = 0; i < LIVE_MEMORY_KINDS; i++)
		if (!strcmp(kinds[i].name, name)) {
			*kind = i;
			return kinds[i].kind;
		}
	*kind = LIVE_MEMORY_KINDS;
	return name;
}

static double held_value(const struct run *run, enum metric metric,
			 uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_node(m, node) : 0;
}

static struct held_row held_row_of(const struct run *run, uint32_t node)
{
	return (struct held_row){
		.function = run->nodes[node].function,
		.allocations = held_value(run, METRIC_GPU_ALLOCATIONS, node),
		.allocated = held_value(run, METRIC_GPU_ALLOCATED, node),
		.frees = held_value(run, METRIC_GPU_FREES, node),
		.freed = held_value(run, METRIC_GPU_FREED, node),
		.at_peak = held_value(run, METRIC_GPU_AT_PEAK, node),
		.leaks = held_value(run, METRIC_GPU_LEAKS, node),
		.leaked = held_value(run, METRIC_GPU_LEAKED, node),
		.reset = held_value(run, METRIC_GPU_RESET, node),
	};
}

static void add_held(struct held_row *to, const struct held_row *from)
{
	to->allocations += from->allocations;
	to->allocated += from->allocated;
	to->frees += from->frees;
	to->freed += from->freed;
	to->at_peak += from->at_peak;
	to->leaks += from->leaks;
	to->leaked += from->leaked;
	to->reset += from->reset;
}

ORDER_BY(by_held_bytes, struct held_row,
	 DESC(leaked) ?: DESC(at_peak) ?:
	 ORDER(b->allocated + b->freed, a->allocated + a->freed) ?: ASC(path))

static int gather_held(struct held *held, const struct paths *paths,
		       bool by_kind)
{
	const struct run *run = paths->run;
	struct map map = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < run->node_count && !err; i++) {
		struct held_row one;
		uint32_t at;

		if (run->nodes[i].kind != RUN_GPU_MEMORY)
			continue;
		one = held_row_of(run, i);
		at = map_put(&map, by_kind ? one.function : paths->of[i], 0,
			     (uint32_t)held->count);
		if (at == MAP_NONE) {
			err = no_memory();
			break;
		}
		if (at == held->count) {
			held->count++;
			held->at[at].path = paths->of[i];
			held->at[at].function = one.function;
		}
		add_held(&held->at[at], &one);
		add_held(&held->total, &one);
	}
	map_fini(&map);
	return err;
}

int gpu_held_init(struct held *held, const struct paths *paths, bool by_kind)
{
	int err;

	*held = (struct held){ .at = calloc(paths->run->node_count + 1,
					    sizeof(*held->at)) };
	if (!held->at)
		return no_memory();
	err = gather_held(held, paths, by_kind);
	if (err)
		gpu_held_fini(held);
	else if (held->count)
		qsort(held->at, held->count, sizeof(*held->at), by_held_bytes);
	return err;
}

void gpu_held_fini(struct held *held)
{
	free(held->at);
	*held = (struct held){ 0 };
}

/* The first bin of a holder: they are adjacent, in order. */
static size_t first_bin_of_holder(const struct run_facts *gpu, size_t holder)
{
	size_t low = 0, high = gpu->bin_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (gpu->bins[middle].holder < holder)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

double gpu_held_between(const struct run *run, size_t holder, uint64_t from,
			uint64_t to)
{
	const struct run_facts *gpu = &run->facts;
	const struct run_holder *h = &gpu->holders[holder];
	size_t i = first_bin_of_holder(gpu, holder);
	uint64_t end = h->first_ns;
	double most = 0;

	if (i == gpu->bin_count || gpu->bins[i].holder != holder)
		return NAN;
	for (; i < gpu->bin_count && gpu->bins[i].holder == holder; i++) {
		uint64_t begin = h->first_ns + gpu->bins[i].bin * h->width_ns;

		end = begin + h->width_ns;
		if (begin < to && end > from)
			most = fmax(most, (double)gpu->bins[i].bytes);
	}
	return to > end ? fmax(most, (double)h->live) : most;
}
