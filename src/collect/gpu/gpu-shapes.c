/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-shapes.c - small tables of sums about kernels and devices. */
#include "collect/gpu/gpu-shapes.h"

#include "collect/collect.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "live/chunk.h"
#include "collect/source.h"
#include "base/combine.h"
#include "base/hidden.h"

enum {
	SHAPES = 4096,
	PLACES = 2 * SHAPES,
	DEVICES = 64,
};

/* Mutable: the process's, of one live profile. */
static struct {
	uint32_t generation;
	struct arena *arena;
	struct chunk_list shape_list, limit_list, unified_list;
	live_ref shapes[PLACES]; /* open addressing */
	uint32_t shape_count, limit_count;
	live_ref unified[DEVICES][LIVE_UNIFIED_KINDS]; /* the host is last */
} facts;
static struct lock facts_lock RESET_AT_FORK;

/* With the lock.  NULL: there is no profile. */
static struct live_gpu_lists *open_facts(void)
{
	if (!registry_await())
		return NULL;
	if (facts.generation != registry_generation()) {
		__builtin_memset(&facts, 0, sizeof(facts));
		facts.generation = registry_generation();
	}
	facts.arena = registry_open();
	return &registry_header()->gpu_lists;
}

/* A copy of the record at the end of a list; 0: no memory. */
static live_ref append_shape(struct chunk_list *list, live_ref *head,
			     const void *record, uint32_t size)
{
	live_ref ref = chunk_take(facts.arena, list, head, size);

	if (!ref)
		return 0;
	__builtin_memcpy(arena_at(facts.arena, ref), record, size);
	chunk_commit(facts.arena, list);
	return ref;
}

/* Everything before the sums. */
static bool same_shape(const struct live_shape *a, const struct live_shape *b)
{
	return !__builtin_memcmp(a, b, offsetof(struct live_shape, launches));
}

static uint32_t shape_hash(const struct live_shape *s)
{
	uint64_t x = (uint64_t)s->name << 32 | s->block_x << 16 |
		     s->block_y << 8 | s->block_z;

	x ^= (uint64_t)s->dynamic_shared << 20 ^ s->registers;
	return (uint32_t)(x * 0x9e3779b97f4a7c15u >> 32);
}

static void add_shape(struct live_gpu_lists *lists,
		      const struct live_shape *some)
{
	uint32_t at = shape_hash(some);
	struct live_shape *to;

	for (; facts.shapes[at % PLACES]; at++) {
		to = arena_at(facts.arena, facts.shapes[at % PLACES]);
		if (!same_shape(to, some))
			continue;
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, some->name);
#include "live/shape.def"
#undef COLUMN
		return;
	}
	if (facts.shape_count < SHAPES)
		facts.shapes[at % PLACES] = append_shape(
			&facts.shape_list, &lists->shapes, some, sizeof(*some));
	if (facts.shapes[at % PLACES])
		facts.shape_count++;
	else
		copse_gpu_lost(LOSS_GPU_SHAPES, some->launches);
}

PUBLIC void copse_gpu_shape(struct region_name *name,
			    const struct live_shape *like)
{
	struct live_shape some = *like;
	struct live_gpu_lists *lists;

	lock_take(&facts_lock);
	lists = open_facts();
	if (lists && registry_name(name, &some.name))
		add_shape(lists, &some);
	else
		copse_gpu_lost(LOSS_GPU_SHAPES, some.launches);
	lock_give(&facts_lock);
}

PUBLIC void copse_gpu_limits(const struct live_limits *limits)
{
	struct live_gpu_lists *lists;

	lock_take(&facts_lock);
	lists = open_facts();
	if (lists && facts.limit_count < DEVICES &&
	    append_shape(&facts.limit_list, &lists->limits, limits,
			 sizeof(*limits)))
		facts.limit_count++;
	lock_give(&facts_lock);
}

static void add_unified(struct live_gpu_lists *lists,
			const struct live_unified *some)
{
	uint32_t device = some->device;
	struct live_unified *to;
	live_ref *ref;

	if (device >= DEVICES - 1)
		device = DEVICES - 1;
	ref = &facts.unified[device][some->kind];
	if (!*ref) {
		*ref = append_shape(&facts.unified_list, &lists->unified, some,
				    sizeof(*some));
		return;
	}
	to = arena_at(facts.arena, *ref);
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, some->name);
#include "live/unified.def"
#undef COLUMN
}

PUBLIC void copse_gpu_unified(const struct live_unified *some)
{
	struct live_gpu_lists *lists;

	lock_take(&facts_lock);
	lists = open_facts();
	if (lists)
		add_unified(lists, some);
	lock_give(&facts_lock);
}

PUBLIC bool copse_gpu_unified_wanted(void)
{
	return collect_settings()->gpu_unified;
}

PUBLIC bool copse_gpu_faults_wanted(void)
{
	return collect_settings()->gpu_faults;
}

AT_FORK static void gpu_shapes_forked(void)
{
	lock_open(&facts_lock);
}

const struct source source_gpu_shapes = {
	.fork = gpu_shapes_forked,
};
