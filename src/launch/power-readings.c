/* SPDX-License-Identifier: BSD-3-Clause */
/* power-readings.c - sums, and bins that become twice as wide when they end. */
#include "launch/power-loop.h"

#include <stdbool.h>
#include <string.h>

#define SHIFT_LEAST 27 /* 0.13 s: a reading or two */

/* Each bin of twice the width has the two that it is made of. */
static void widen_board(struct live_power_board *b)
{
	uint64_t odd = b->first_bin & 1;
	struct live_power_bin old[LIVE_POWER_BINS];

	memcpy(old, b->bins, sizeof(old));
	memset(b->bins, 0, sizeof(b->bins));
	for (uint64_t i = 0; i < LIVE_POWER_BINS; i++) {
		struct live_power_bin *to = &b->bins[(i + odd) / 2];

		to->uj += old[i].uj;
		to->ns += old[i].ns;
		to->uses_ns += old[i].uses_ns;
		to->use_sm += old[i].use_sm;
		to->use_tensor += old[i].use_tensor;
		to->use_memory += old[i].use_memory;
	}
	b->first_bin /= 2;
	b->bin_shift++;
}

static void add_bin(struct live_power_board *b, uint64_t now,
		    struct power_step step)
{
	uint64_t bin;

	if (!b->bin_shift) {
		b->bin_shift = SHIFT_LEAST;
		b->first_bin = (now - step.ns) >> SHIFT_LEAST;
	}
	__atomic_store_n(&b->moving, b->moving + 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	while ((now >> b->bin_shift) - b->first_bin >= LIVE_POWER_BINS)
		widen_board(b);
	bin = (now >> b->bin_shift) - b->first_bin;
	b->bins[bin].uj += step.uj;
	b->bins[bin].ns += step.ns;
	__atomic_store_n(&b->moving, b->moving + 1, __ATOMIC_SEQ_CST);
}

/* What is not told is nothing: shares of these three are, or none is. */
static void add_bin_uses(struct live_power_bin *to, const struct gpu_uses *uses,
			 uint64_t ns)
{
	to->uses_ns += ns;
	to->use_sm += gpu_use_part(uses->use_sm, ns, uses->uses_ns);
	to->use_tensor += gpu_use_part(uses->use_tensor, ns, uses->uses_ns);
	to->use_memory += gpu_use_part(uses->use_memory, ns, uses->uses_ns);
}

/* The time that ended now, over the bins that there are. */
static void spread_uses(struct live_power_board *b, uint64_t now,
			const struct gpu_uses *uses)
{
	uint64_t begin = now - uses->uses_ns;

	for (uint64_t i = 0; i < LIVE_POWER_BINS; i++) {
		uint64_t from = (b->first_bin + i) << b->bin_shift;
		uint64_t to = from + (UINT64_C(1) << b->bin_shift);

		from = from > begin ? from : begin;
		to = to < now ? to : now;
		if (to > from)
			add_bin_uses(&b->bins[i], uses, to - from);
	}
}

void power_readings_uses(struct power_readings *s, uint64_t now,
			 const struct gpu_uses *uses)
{
	struct live_power_board *b = s->board;

#define ADDED(type, name, ...) b->name = gpu_use_sum(b->name, uses->name);
#include "live/gpu-uses.def"
#undef ADDED
	if (!b->bin_shift || uses->use_sm == GPU_USE_UNTOLD)
		return;
	__atomic_store_n(&b->moving, b->moving + 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_RELEASE); /* what follows comes later */
	spread_uses(b, now, uses);
	__atomic_store_n(&b->moving, b->moving + 1, __ATOMIC_SEQ_CST);
}

static void add_state(struct live_power_board *b, const struct nvml_reading *r,
		      uint64_t ns)
{
	if (r->knows_clocks) {
		b->sm_mhz_ns += r->sm_mhz * ns;
		b->memory_mhz_ns += r->memory_mhz * ns;
		b->clocks_ns += ns;
	}
	if (r->knows_use) {
		b->used_ns += r->used * ns / 100;
		b->use_ns += ns;
	}
	if (r->knows_reasons) {
		b->slowed_ns += r->reasons & NVML_SLOWED ? ns : 0;
		b->reasons_ns += ns;
		b->reasons |= r->reasons;
	}
	if (r->celsius > b->most_celsius)
		b->most_celsius = r->celsius;
}

static void add_extremes(struct live_power_board *b, uint32_t mw)
{
	if (!b->readings || mw < b->least_mw)
		b->least_mw = mw;
	if (mw > b->most_mw)
		b->most_mw = mw;
}

/*
 * Until the counter is asked again, power says what it will have; a reading
 * that is the last, since its process was killed, is so as good as any.
 */
static void add_power(struct power_readings *s, const struct nvml_reading *r,
		      uint64_t uj)
{
	struct live_power_board *b = s->board;

	b->power_uj += uj;
	if (r->asks_energy || !b->counts)
		return;
	s->since_uj += uj;
	b->counter_uj = (s->last_mj - s->first_mj) * 1000 + s->since_uj;
}

/*
 * The counter's part since the last reading; false: that one or this one did
 * not ask for it.  A counter that the first reading lacked, or that runs
 * backwards (the driver was loaded anew), counts for nothing.
 */
static bool add_energy_reading(struct power_readings *s,
			       const struct nvml_reading *r, uint64_t *uj)
{
	struct live_power_board *b = s->board;
	bool follows = s->asked;

	s->asked = r->asks_energy;
	if (!r->asks_energy)
		return false;
	if (!b->readings) {
		b->counts = r->knows_energy;
		s->first_mj = r->energy_mj;
	} else if (!r->knows_energy || r->energy_mj < s->last_mj) {
		b->counts = 0;
	}
	*uj = b->counts ? (r->energy_mj - s->last_mj) * 1000 : 0;
	s->last_mj = r->energy_mj;
	s->since_uj = 0;
	if (b->counts)
		b->counter_uj = (r->energy_mj - s->first_mj) * 1000;
	return b->counts && follows;
}

struct power_step power_readings_add(struct power_readings *s, uint64_t now,
				     const struct nvml_reading *r)
{
	struct live_power_board *b = s->board;
	uint64_t ns = s->last_ns ? now - s->last_ns : 0, counted;
	struct power_step step = { 0 };
	bool counts = add_energy_reading(s, r, &counted);

	if (ns && ns <= READINGS_GAP_NS) {
		uint64_t uj = ((uint64_t)s->last_mw + r->mw) / 2 * ns / 1000000;

		step = (struct power_step){ counts ? counted : uj, ns };
		add_power(s, r, uj);
		b->known_ns += ns;
		add_state(b, r, ns);
		add_bin(b, now, step);
	}
	add_extremes(b, r->mw);
	if (!b->first_ns)
		b->first_ns = now;
	b->last_ns = now;
	b->readings++;
	s->last_ns = now;
	s->last_mw = r->mw;
	return step;
}
