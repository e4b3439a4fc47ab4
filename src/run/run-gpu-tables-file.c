/* SPDX-License-Identifier: BSD-3-Clause */
/* run-gpu-tables-file.c - what run.h5 has of GPUs beside metrics. */
#include "run/run-gpu-tables-file.h"

#include <errno.h>

#include "live/layout.h"

#define HOLDER(TYPE, member) STORE_FIELD(TYPE, struct run_holder, member)
static const struct store_field holder_fields[] = {
	HOLDER(U32, rank),     HOLDER(U32, device),
	HOLDER(U64, live),     HOLDER(U64, peak),
	HOLDER(U64, peak_ns),  HOLDER(U64, first_ns),
	HOLDER(U64, width_ns), { 0 },
};

#define BIN(TYPE, member) STORE_FIELD(TYPE, struct run_memory_bin, member)
static const struct store_field bin_fields[] = {
	BIN(U32, holder),
	BIN(U32, bin),
	BIN(U64, bytes),
	{ 0 },
};

#define HELD(TYPE, member) STORE_FIELD(TYPE, struct run_held, member)
static const struct store_field held_fields[] = {
	HELD(U32, holder), HELD(U32, kind), HELD(U64, live),
	HELD(U64, peak),   { 0 },
};

#define UNIFIED(TYPE, member) STORE_FIELD(TYPE, struct run_unified, member)
static const struct store_field unified_fields[] = {
	UNIFIED(U32, rank),
	UNIFIED(U32, kind),
	UNIFIED(U32, device),
	UNIFIED(U64, count),
	UNIFIED(U64, bytes),
	UNIFIED(U64, ns),
	{ 0 },
};

#define MODEL(TYPE, member) STORE_FIELD(TYPE, struct run_model, member)
static const struct store_field model_fields[] = {
	MODEL(U32, major),
	MODEL(U32, minor),
	MODEL(U32, multiprocessors),
	MODEL(U32, warp),
	MODEL(U32, threads),
	MODEL(U32, blocks),
	MODEL(U32, registers),
	MODEL(U32, shared),
	MODEL(U32, block_registers),
	MODEL(U32, reserved_shared),
	{ 0 },
};

#define SHAPE(TYPE, member) STORE_FIELD(TYPE, struct run_shape, member)
static const struct store_field shape_fields[] = {
	SHAPE(U32, function),
	SHAPE(U32, model),
	SHAPE(U32, block_x),
	SHAPE(U32, block_y),
	SHAPE(U32, block_z),
	SHAPE(U32, registers),
	SHAPE(U32, static_shared),
	SHAPE(U32, dynamic_shared),
	SHAPE(U32, local),
	SHAPE(U32, cluster),
	SHAPE(U64, launches),
	SHAPE(U64, ns),
	SHAPE(U64, least_blocks),
	SHAPE(U64, most_blocks),
	{ 0 },
};

static const struct store_field sampling_fields[] = {
	STORE_FIELD(U64, struct run_sampling, calls),
	STORE_FIELD(U64, struct run_sampling, ns),
	{ 0 },
};

#define PART(group, fields, array, number)                                     \
	STORE_PART(struct run_facts, group, fields, array, number)
static const struct store_part parts[] = {
	PART("gpu-memory/holders", holder_fields, holders, holder_count),
	PART("gpu-memory/timeline", bin_fields, bins, bin_count),
	PART("gpu-memory/held", held_fields, held, held_count),
	PART("gpu-memory/unified", unified_fields, unified, unified_count),
	PART("gpu-launches/models", model_fields, models, model_count),
	PART("gpu-launches/shapes", shape_fields, shapes, shape_count),
	PART("gpu-samples/cost", sampling_fields, sampling, sampling_count),
};
enum {
	PARTS = sizeof(parts) / sizeof(parts[0])
};

void facts_file_put(struct store *s, const struct run_facts *gpu)
{
	store_put_parts(s, parts, PARTS, gpu);
}

void facts_file_get(struct store *s, struct run_facts *gpu)
{
	store_get_parts(s, parts, PARTS, gpu);
}

void facts_file_check(struct store *s, const struct run *run)
{
	const struct run_facts *g = &run->facts;
	bool good = true;

	for (size_t i = 0; i < g->holder_count && good; i++)
		good = g->holders[i].rank < run->rank_count;
	for (size_t i = 0; i < g->bin_count && good; i++)
		good = g->bins[i].holder < g->holder_count &&
		       (!i || g->bins[i - 1].holder <= g->bins[i].holder);
	for (size_t i = 0; i < g->held_count && good; i++)
		good = g->held[i].holder < g->holder_count &&
		       g->held[i].kind < LIVE_MEMORY_KINDS;
	for (size_t i = 0; i < g->unified_count && good; i++)
		good = g->unified[i].rank < run->rank_count &&
		       g->unified[i].kind < LIVE_UNIFIED_KINDS;
	for (size_t i = 0; i < g->shape_count && good; i++)
		good = g->shapes[i].function < run->strings.count &&
		       (g->shapes[i].model < g->model_count ||
			g->shapes[i].model == RUN_NO_MODEL);
	if (!good)
		store_fail(s, -EINVAL, "damaged: what it has of GPUs");
}
