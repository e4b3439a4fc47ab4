/* SPDX-License-Identifier: BSD-3-Clause */
/* live-footprint.c - what memory the process held, as its parent read it. */
#include <stdlib.h>

#include "base/comparison.h"
#include "profile/live/live-reader.h"

static void take_reading(struct reader *r, const struct footprint_reading *from)
{
	struct profile *p = r->p;

	if (!from->ns || from->ns > PROFILE_TIME_MOST ||
	    !reader_grow(r, &p->memory_readings, p->memory_reading_count,
			 sizeof(*p->memory_readings)))
		return;
	p->memory_readings[p->memory_reading_count++] =
		(struct profile_memory_reading){
			.ns = from->ns,
			.resident = from->resident,
			.available = from->available,
			.held = from->group,
		};
}

ORDER_BY(by_reading, struct profile_memory_reading, ASC(ns))

/* Of readings that are in both lists one is enough. */
static void order_readings(struct profile *p)
{
	struct profile_memory_reading *all = p->memory_readings;
	size_t kept = 0;

	if (p->memory_reading_count)
		qsort(all, p->memory_reading_count, sizeof(*all), by_reading);
	for (size_t i = 0; i < p->memory_reading_count; i++)
		if (!kept || all[kept - 1].ns != all[i].ns)
			all[kept++] = all[i];
	p->memory_reading_count = kept;
}

static void read_footprint(struct reader *r)
{
	const struct live_footprint *f = &r->header.footprint;
	struct profile *p = r->p;

	if (!f->readings && !f->peak)
		return;
	if (!reader_grow(r, &p->footprints, p->footprint_count,
			 sizeof(*p->footprints)))
		return;
	p->footprints[p->footprint_count++] = (struct profile_footprint){
#define COLUMN(type, name, ...) .name = f->name,
#define ADDED                   COLUMN
#include "live/footprint.def"
#undef COLUMN
#undef ADDED
	};
	for (uint64_t i = 0; i < f->count && i < FOOTPRINT_SPACED; i++)
		take_reading(r, &f->spaced[i]);
	for (size_t i = 0; i < FOOTPRINT_RECENT; i++)
		take_reading(r, &f->recent[i]);
	order_readings(p);
}

const struct live_section section_footprint = { .begin = read_footprint };
