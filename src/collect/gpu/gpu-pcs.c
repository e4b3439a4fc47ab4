/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-pcs.c - a table of sampled instructions, and pieces of cubins. */
#include "collect/gpu/gpu-pcs.h"

#include "collect/collect.h"
#include "collect/control.h"
#include "collect/gpu/gpu-live.h"
#include "collect/gpu/gpu.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "live/chunk.h"
#include "collect/source.h"
#include "base/hidden.h"

enum {
	PCS = 32768,
	PLACES = 2 * PCS,
	CODE_MOST = 8 << 20, /* bytes of all cubins */
};

/* Mutable: the process's, of one live profile. */
static struct {
	struct lock lock;
	uint32_t generation;
	struct arena *arena;
	struct chunk_list list, cubins;
	live_ref *places; /* of struct live_pc, open addressing */
	uint32_t count;
	uint64_t code; /* bytes that are kept */
} pcs RESET_AT_FORK;

PUBLIC bool copse_gpu_sampling(uint32_t *period)
{
	*period = (uint32_t)collect_settings()->gpu_sampling_period;
	return collect_settings()->gpu_sampling;
}

PUBLIC uint64_t copse_gpu_measured_since(void)
{
	return control_measured_since();
}

/* With the lock.  NULL: there is no profile, or no memory. */
static struct live_gpu_lists *open_pcs(void)
{
	uint32_t generation;

	if (!registry_await())
		return NULL;
	generation = registry_generation();
	if (!pcs.places)
		pcs.places = sys_memory(PLACES * sizeof(*pcs.places));
	else if (pcs.generation != generation)
		__builtin_memset(pcs.places, 0, PLACES * sizeof(*pcs.places));
	if (pcs.generation != generation) {
		pcs.list = pcs.cubins = (struct chunk_list){ 0 };
		pcs.count = 0;
		pcs.code = 0;
		pcs.generation = generation;
	}
	pcs.arena = registry_open();
	return pcs.places ? &registry_header()->gpu_lists : NULL;
}

static bool same_pc(const struct live_pc *a, const struct live_pc *b)
{
	return a->pc == b->pc && a->cubin == b->cubin && a->name == b->name &&
	       a->function == b->function;
}

static uint32_t hash_pc(const struct live_pc *p)
{
	uint64_t x = (p->cubin ^ p->pc) * 0x9e3779b97f4a7c15u;

	x = (x ^ p->function ^ (uint64_t)p->name << 32) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(x >> 32);
}

static uint64_t pc_sample_count(const struct live_pc *p)
{
	uint64_t sum = 0;

	for (int i = 0; i < LIVE_STALLS; i++)
		sum += p->stalls[i];
	return sum;
}

static void sum_stalls(struct live_pc *to, const struct live_pc *some)
{
	to->unissued += some->unissued;
	for (int i = 0; i < LIVE_STALLS; i++)
		to->stalls[i] += some->stalls[i];
}

/* A new one at the end of the list; 0: no memory. */
static live_ref append_pc(struct live_gpu_lists *lists,
			  const struct live_pc *pc)
{
	live_ref ref = 0;

	if (pcs.count < PCS)
		ref = chunk_take(pcs.arena, &pcs.list, &lists->pcs,
				 sizeof(*pc));
	if (!ref)
		return 0;
	__builtin_memcpy(arena_at(pcs.arena, ref), pc, sizeof(*pc));
	chunk_commit(pcs.arena, &pcs.list);
	pcs.count++;
	return ref;
}

static void add_sampled_pc(struct live_gpu_lists *lists,
			   const struct live_pc *some)
{
	uint32_t at = hash_pc(some);

	for (; pcs.places[at % PLACES]; at++) {
		struct live_pc *to =
			arena_at(pcs.arena, pcs.places[at % PLACES]);

		if (same_pc(to, some)) {
			sum_stalls(to, some);
			return;
		}
	}
	pcs.places[at % PLACES] = append_pc(lists, some);
	if (!pcs.places[at % PLACES])
		copse_gpu_lost(LOSS_GPU_PC_FULL, pc_sample_count(some));
}

PUBLIC void copse_gpu_pc(struct region_name *function,
			 const struct live_pc *some)
{
	struct live_pc pc = *some;
	struct live_gpu_lists *lists;

	lock_take(&pcs.lock);
	lists = open_pcs();
	if (lists && registry_name(function, &pc.name))
		add_sampled_pc(lists, &pc);
	else
		copse_gpu_lost(LOSS_GPU_PC_FULL, pc_sample_count(some));
	lock_give(&pcs.lock);
}

static bool add_cubin_piece(struct live_gpu_lists *lists,
			    struct live_cubin *piece, const char *bytes)
{
	live_ref ref = chunk_take(pcs.arena, &pcs.cubins, &lists->cubins,
				  sizeof(*piece));
	struct live_cubin *to;

	if (!ref)
		return false;
	piece->size = piece->all - piece->at;
	if (piece->size > sizeof(piece->bytes))
		piece->size = sizeof(piece->bytes);
	to = arena_at(pcs.arena, ref);
	*to = *piece;
	__builtin_memcpy(to->bytes, bytes + piece->at, piece->size);
	chunk_commit(pcs.arena, &pcs.cubins);
	piece->at += piece->size;
	return true;
}

/* One that has not all its pieces is no cubin to who reads them. */
PUBLIC void copse_gpu_cubin(uint64_t cubin, const void *bytes, size_t size)
{
	struct live_cubin piece = { .cubin = cubin, .all = (uint32_t)size };
	struct live_gpu_lists *lists;
	bool good;

	lock_take(&pcs.lock);
	lists = open_pcs();
	good = lists && size <= CODE_MOST - pcs.code;
	if (good)
		pcs.code += size;
	while (good && piece.at < piece.all)
		good = add_cubin_piece(lists, &piece, bytes);
	if (!good)
		copse_gpu_lost(LOSS_GPU_CUBINS, 1);
	lock_give(&pcs.lock);
}

PUBLIC void copse_gpu_sampling_cost(uint64_t ns)
{
	struct live_gpu_lists *lists;

	lock_take(&pcs.lock);
	lists = open_pcs();
	if (lists) {
		lists->sampling_calls++;
		lists->sampling_ns += ns;
	}
	lock_give(&pcs.lock);
}

AT_FORK static void gpu_pcs_forked(void)
{
	lock_open(&pcs.lock);
}

const struct source source_gpu_pcs = {
	.fork = gpu_pcs_forked,
};
