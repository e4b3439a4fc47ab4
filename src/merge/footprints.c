/* SPDX-License-Identifier: BSD-3-Clause */
/* footprints.c - the memory that processes held, each from its start on. */
#include <stdlib.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/gatherer.h"

enum {
	READINGS_MOST = 1 << 20 /* of all processes */
};

struct footprints {
	struct run_memory sum; /* ranks: as read */
	size_t rank_room, reading_room;
};

static void fini_footprints(void *state)
{
	struct footprints *f = state;

	run_memory_fini(&f->sum);
	*f = (struct footprints){ 0 };
}

static uint64_t from_start(const struct profile *p, uint64_t ns)
{
	uint64_t start = p->id.start_mono_ns;

	return ns > start ? ns - start : 0;
}

static bool add_footprint(struct footprints *f, const struct gathered *one)
{
	const struct profile *p = one->profile;
	const struct profile_footprint *from = p->footprints;
	struct run_footprint to = {
		.rank = one->process,
#define COLUMN(type, name, ...) .name = from->name,
#define ADDED                   COLUMN
#include "live/footprint.def"
#undef COLUMN
#undef ADDED
	};

	to.first_ns = from_start(p, from->first_ns);
	to.last_ns = from_start(p, from->last_ns);
	to.peak_ns = from_start(p, from->peak_ns);
	return array_append(&f->sum.ranks, &f->sum.rank_count, &f->rank_room,
			    sizeof(to), &to);
}

static int add_footprints(void *state, const struct gathered *one)
{
	struct footprints *f = state;
	const struct profile *p = one->profile;
	bool ok = !p->footprint_count || add_footprint(f, one);

	for (size_t i = 0; i < p->memory_reading_count && ok; i++) {
		const struct profile_memory_reading *from =
			&p->memory_readings[i];
		struct run_memory_reading to = {
			.rank = one->process,
			.ns = from_start(p, from->ns),
			.resident = from->resident,
			.available = from->available,
			.held = from->held,
		};

		if (f->sum.reading_count < READINGS_MOST)
			ok = array_append(&f->sum.readings,
					  &f->sum.reading_count,
					  &f->reading_room, sizeof(to), &to);
	}
	return ok ? 0 : no_memory();
}

ORDER_BY(by_footprint_rank, struct run_footprint, ASC(rank))

ORDER_BY(by_memory_reading, struct run_memory_reading, ASC(rank) ?: ASC(ns))

static int finish_footprints(void *state, struct run *run,
			     const uint32_t *order, const uint32_t *became)
{
	struct footprints *f = state;
	struct run_memory *to = &run->memory;

	(void)became;
	*to = f->sum;
	*f = (struct footprints){ 0 };
	for (size_t i = 0; i < to->rank_count; i++)
		to->ranks[i].rank = order[to->ranks[i].rank];
	for (size_t i = 0; i < to->reading_count; i++)
		to->readings[i].rank = order[to->readings[i].rank];
	if (to->rank_count)
		qsort(to->ranks, to->rank_count, sizeof(*to->ranks),
		      by_footprint_rank);
	if (to->reading_count)
		qsort(to->readings, to->reading_count, sizeof(*to->readings),
		      by_memory_reading);
	return 0;
}

const struct gatherer gatherer_footprints = {
	.size = sizeof(struct footprints),
	.fini = fini_footprints,
	.add = add_footprints,
	.finish = finish_footprints,
};
