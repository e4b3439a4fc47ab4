/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel-counters.c - see kernel-counters.h. */
#include "analyse/gpu/kernel-counters.h"

#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"

enum {
	LEAST_INTERVALS = 3,
};
#define HALF 0.5
#define FEW  0.25

static double use_value(const struct run *run, enum metric metric,
			uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	return m ? value_node(m, node) : 0;
}

static void add_use(struct kernel_use *to, const struct run *run, uint32_t node)
{
	to->time += use_value(run, METRIC_GPU_TIME, node);
	to->counted += use_value(run, METRIC_GPU_COUNTED, node);
	to->alone += use_value(run, METRIC_GPU_COUNTED_ALONE, node);
	to->intervals += use_value(run, METRIC_GPU_INTERVALS, node);
#define USE(id) to->value[USE_##id] += use_value(run, METRIC_GPU_##id, node);
	KERNEL_USES(USE)
#undef USE
}

ORDER_BY(by_use_time, struct kernel_use,
	 DESC(time) ?: ASC(function) ?: ASC(path))

/* The work of that node to the row of that name and path. */
static int put_use(struct kernel_uses *uses, struct map *map,
		   const struct run *run, struct kernel_use row, uint32_t node)
{
	uint32_t at =
		map_put(map, row.function, row.path, (uint32_t)uses->count);

	if (at == MAP_NONE)
		return no_memory();
	if (at == uses->count)
		uses->at[uses->count++] = row;
	add_use(&uses->at[at], run, node);
	return 0;
}

/* A range inside one of its own name is part of that one. */
static bool is_range_below(const struct run *run, uint32_t range, uint32_t node)
{
	for (uint32_t n = node; n != range; n = run->nodes[n].parent)
		if (run->nodes[n].kind == RUN_PHASE &&
		    run->nodes[n].function == run->nodes[range].function)
			return true;
	return false;
}

/* To all ranges around it. */
static int put_range_use(struct kernel_uses *uses, struct map *map,
			 const struct run *run, uint32_t node)
{
	int err = 0;

	for (uint32_t n = run->nodes[node].parent; n && !err;
	     n = run->nodes[n].parent) {
		struct kernel_use row = { .function = run->nodes[n].function };

		if (run->nodes[n].kind == RUN_PHASE &&
		    !is_range_below(run, n, node))
			err = put_use(uses, map, run, row, node);
	}
	return err;
}

static int collect_uses(struct kernel_uses *uses, struct map *map,
			const struct paths *paths, enum use_rows rows)
{
	const struct run *run = paths->run;
	int err = 0;

	for (uint32_t i = 0; i < run->node_count && !err; i++) {
		struct kernel_use row = { .function = run->nodes[i].function };

		if (use_value(run, METRIC_GPU_TIME, i) <= 0)
			continue;
		if (rows == USE_BY_PATH)
			row.path = paths->of[i];
		err = rows == USE_BY_RANGE ? put_range_use(uses, map, run, i)
					   : put_use(uses, map, run, row, i);
		add_use(&uses->all, run, i);
	}
	return err;
}

int kernel_uses_init(struct kernel_uses *uses, const struct paths *paths,
		     enum use_rows rows)
{
	struct map map = { 0 };
	int err;

	*uses = (struct kernel_uses){ .at = calloc(paths->run->node_count + 1,
						   sizeof(*uses->at)) };
	if (!uses->at)
		return no_memory();
	err = collect_uses(uses, &map, paths, rows);
	map_fini(&map);
	qsort(uses->at, uses->count, sizeof(*uses->at), by_use_time);
	return err;
}

void kernel_uses_fini(struct kernel_uses *uses)
{
	free(uses->at);
	*uses = (struct kernel_uses){ 0 };
}

double kernel_use_share(const struct kernel_use *use, enum use_counter what)
{
	return value_ratio(use->value[what], use->counted);
}

bool kernel_use_known(const struct kernel_use *use)
{
	return use->intervals >= LEAST_INTERVALS;
}

const char *kernel_use_bound(const struct kernel_use *use)
{
	static const struct {
		enum use_counter what;
		const char *name;
	} busy[] = {
		{ USE_TENSOR, "tensor cores" }, { USE_DRAM, "memory" },
		{ USE_FP64, "FP64" },           { USE_FP32, "FP32" },
		{ USE_ISSUED, "instructions" },
	};

	if (!kernel_use_known(use) || use->value[USE_SM_ACTIVE] <= 0)
		return NULL;
	for (size_t i = 0; i < sizeof(busy) / sizeof(*busy); i++)
		if (kernel_use_share(use, busy[i].what) >= HALF)
			return busy[i].name;
	if (kernel_use_share(use, USE_SM_ACTIVE) < HALF)
		return "few blocks";
	return kernel_use_share(use, USE_WARPS) < FEW ? "few warps" : "latency";
}
