/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-gpu-tables.c - what GPUs have in rank-N.h5 beside metrics. */
#include "profile/rank-gpu-tables.h"

#include <errno.h>

#include "live/layout.h"
#include "live/power.h"

#define HOLDER(TYPE, member) STORE_FIELD(TYPE, struct profile_holder, member)
static const struct store_field holder_fields[] = {
	HOLDER(U32, device),
	HOLDER(U64, live),
	HOLDER(U64, peak),
	HOLDER(U64, peak_ns),
	HOLDER(U64, first_ns),
	HOLDER(U64, width_ns),
	{ 0 },
};

#define BIN(TYPE, member) STORE_FIELD(TYPE, struct profile_memory_bin, member)
static const struct store_field bin_fields[] = {
	BIN(U32, holder),
	BIN(U32, bin),
	BIN(U64, bytes),
	{ 0 },
};

#define HELD(TYPE, member) STORE_FIELD(TYPE, struct profile_held, member)
static const struct store_field held_fields[] = {
	HELD(U32, holder), HELD(U32, kind), HELD(U64, live),
	HELD(U64, peak),   { 0 },
};

#define UNIFIED(TYPE, member) STORE_FIELD(TYPE, struct profile_unified, member)
static const struct store_field unified_fields[] = {
	UNIFIED(U32, kind),  UNIFIED(U32, device), UNIFIED(U64, count),
	UNIFIED(U64, bytes), UNIFIED(U64, ns),     { 0 },
};

#define SHAPE(TYPE, member) STORE_FIELD(TYPE, struct profile_shape, member)
static const struct store_field shape_fields[] = {
	SHAPE(U32, name),
	SHAPE(U32, device),
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

#define LIMIT(TYPE, member) STORE_FIELD(TYPE, struct profile_limits, member)
static const struct store_field limit_fields[] = {
	LIMIT(U32, device),
	LIMIT(U32, major),
	LIMIT(U32, minor),
	LIMIT(U32, multiprocessors),
	LIMIT(U32, warp),
	LIMIT(U32, threads),
	LIMIT(U32, blocks),
	LIMIT(U32, registers),
	LIMIT(U32, shared),
	LIMIT(U32, block_registers),
	LIMIT(U32, reserved_shared),
	{ 0 },
};

#define POWER(TYPE, member) STORE_FIELD(TYPE, struct profile_power, member)
static const struct store_field power_fields[] = {
	POWER(U32, device),        POWER(U32, is_mig),
	POWER(CHARS, uuid),        POWER(CHARS, bus),
	POWER(U64, readings),      POWER(U64, failures),
	POWER(U64, first_ns),      POWER(U64, last_ns),
	POWER(U64, known_ns),      POWER(U64, power_uj),
	POWER(U64, counter_uj),    POWER(U32, counts),
	POWER(U32, least_mw),      POWER(U32, most_mw),
	POWER(U32, most_celsius),  POWER(U64, sm_mhz_ns),
	POWER(U64, memory_mhz_ns), POWER(U64, clocks_ns),
	POWER(U64, used_ns),       POWER(U64, use_ns),
	POWER(U64, slowed_ns),     POWER(U64, reasons_ns),
	POWER(U64, reasons),       POWER(U64, cpu_ns),
	POWER(U64, slowest_ns),    POWER(U64, first_bin),
	POWER(U32, bin_shift),     { 0 },
};

#define POWER_BIN(TYPE, member)                                                \
	STORE_FIELD(TYPE, struct profile_power_bin, member)
static const struct store_field power_bin_fields[] = {
	POWER_BIN(U32, power),
	POWER_BIN(U32, bin),
	POWER_BIN(U64, uj),
	POWER_BIN(U64, ns),
	{ 0 },
};

#define PHASE(TYPE, member)                                                    \
	STORE_FIELD(TYPE, struct profile_power_phase, member)
static const struct store_field phase_fields[] = {
	PHASE(U32, power), PHASE(U32, node), PHASE(U32, readings),
	PHASE(U64, uj),    PHASE(U64, ns),   { 0 },
};

#define SAMPLED(TYPE, member) STORE_FIELD(TYPE, struct profile_pc, member)
static const struct store_field pc_fields[] = {
	SAMPLED(U32, name),
	SAMPLED(U32, function),
	SAMPLED(U64, cubin),
	SAMPLED(U64, pc),
	SAMPLED(U64, unissued),
#define STALL(id, member) SAMPLED(U64, member),
#include "live/stalls.def"
	{ 0 },
};

static const struct store_field cubin_fields[] = {
	STORE_FIELD(U64, struct profile_cubin, cubin),
	STORE_FIELD(U64, struct profile_cubin, size),
	{ 0 },
};

static const struct store_field word_fields[] = {
	STORE_FIELD(U64, struct profile_cubin_word, word),
	{ 0 },
};

static const struct store_field sampling_fields[] = {
	STORE_FIELD(U64, struct profile_sampling, calls),
	STORE_FIELD(U64, struct profile_sampling, ns),
	{ 0 },
};

#define PART(group, fields, array, number)                                     \
	STORE_PART(struct profile, group, fields, array, number)
static const struct store_part parts[] = {
	PART("gpu-memory/holders", holder_fields, holders, holder_count),
	PART("gpu-memory/timeline", bin_fields, memory_bins, memory_bin_count),
	PART("gpu-memory/held", held_fields, held, held_count),
	PART("gpu-memory/unified", unified_fields, unified, unified_count),
	PART("gpu-launches/shapes", shape_fields, shapes, shape_count),
	PART("gpu-launches/limits", limit_fields, limits, limit_count),
	PART("gpu-power/gpus", power_fields, powers, power_count),
	PART("gpu-power/timeline", power_bin_fields, power_bins,
	     power_bin_count),
	PART("gpu-power/phases", phase_fields, power_phases, power_phase_count),
	PART("gpu-samples/instructions", pc_fields, pcs, pc_count),
	PART("gpu-samples/cubins", cubin_fields, cubins, cubin_count),
	PART("gpu-samples/contents", word_fields, cubin_words,
	     cubin_word_count),
	PART("gpu-samples/cost", sampling_fields, sampling, sampling_count),
};
enum {
	PARTS = sizeof(parts) / sizeof(parts[0])
};

void rank_facts_put(struct store *s, const struct profile *p)
{
	store_put_parts(s, parts, PARTS, p);
}

void rank_facts_get(struct store *s, struct profile *p)
{
	store_get_parts(s, parts, PARTS, p);
}

static bool samples_good(const struct profile *p)
{
	uint64_t words = 0;
	bool good = true;

	for (size_t i = 0; i < p->pc_count && good; i++)
		good = p->pcs[i].name < p->name_count;
	for (size_t i = 0; i < p->cubin_count && good; i++) {
		good = p->cubins[i].size <= 8 * p->cubin_word_count;
		words += p->cubins[i].size / 8 + (p->cubins[i].size % 8 != 0);
	}
	return good && words <= p->cubin_word_count;
}

static bool good_power(const struct profile *p)
{
	bool good = true;

	for (size_t i = 0; i < p->power_count && good; i++) {
		const struct profile_power *w = &p->powers[i];

		good = w->device < p->device_count && w->bin_shift < 64 &&
		       w->first_ns <= w->last_ns &&
		       w->last_ns <= PROFILE_TIME_MOST;
	}
	for (size_t i = 0; i < p->power_bin_count && good; i++)
		good = p->power_bins[i].power < p->power_count &&
		       p->power_bins[i].bin < LIVE_POWER_BINS;
	for (size_t i = 0; i < p->power_phase_count && good; i++)
		good = p->power_phases[i].power < p->power_count &&
		       p->power_phases[i].node < p->node_count;
	return good;
}

void rank_facts_check(struct store *s, const struct profile *p)
{
	bool good = good_power(p);

	for (size_t i = 0; i < p->holder_count && good; i++)
		good = p->holders[i].first_ns <= PROFILE_TIME_MOST &&
		       p->holders[i].width_ns <= PROFILE_TIME_MOST &&
		       p->holders[i].peak_ns <= PROFILE_TIME_MOST;
	for (size_t i = 0; i < p->memory_bin_count && good; i++)
		good = p->memory_bins[i].holder < p->holder_count &&
		       p->memory_bins[i].bin < LIVE_MEMORY_BINS;
	for (size_t i = 0; i < p->held_count && good; i++)
		good = p->held[i].holder < p->holder_count &&
		       p->held[i].kind < LIVE_MEMORY_KINDS;
	for (size_t i = 0; i < p->unified_count && good; i++)
		good = p->unified[i].kind < LIVE_UNIFIED_KINDS;
	for (size_t i = 0; i < p->shape_count && good; i++)
		good = p->shapes[i].name < p->name_count &&
		       p->shapes[i].least_blocks <= p->shapes[i].most_blocks;
	if (!good || !samples_good(p))
		store_fail(s, -EINVAL, "damaged: what it has of GPUs");
}
