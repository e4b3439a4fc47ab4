/* SPDX-License-Identifier: BSD-3-Clause */
/* footprint.c - see footprint.h. */
#include "live/footprint.h"

#define EVERY_NS 1000000000u /* at first; ticks come about so often */

/* Every second one goes: of two, the one when it held more stays. */
static void space_readings(struct live_footprint *f)
{
	for (uint64_t i = 0; i < f->count / 2; i++) {
		const struct footprint_reading *two = &f->spaced[2 * i];

		f->spaced[i] = two[two[1].resident > two[0].resident];
	}
	f->count /= 2;
	f->every_ns *= 2;
}

static void keep_spaced(struct live_footprint *f,
			const struct footprint_reading *r)
{
	if (!f->every_ns)
		f->every_ns = EVERY_NS;
	if (f->count >= FOOTPRINT_SPACED)
		space_readings(f);
	f->spaced[f->count++] = *r;
	f->due_ns = r->ns + f->every_ns - EVERY_NS / 2;
}

void footprint_add(struct live_footprint *to, const struct footprint_reading *r)
{
	if (!to->readings) {
		to->first_ns = r->ns;
		to->host_least = r->available;
	}
	to->recent[to->readings++ % FOOTPRINT_RECENT] = *r;
	to->last_ns = r->ns;
	if (r->resident > to->peak) {
		to->peak = r->resident;
		to->peak_ns = r->ns;
	}
	if (r->available < to->host_least)
		to->host_least = r->available;
	if (r->group > to->group_most)
		to->group_most = r->group;
	if (r->ns >= to->due_ns)
		keep_spaced(to, r);
	else if (r->resident > to->spaced[to->count - 1].resident)
		to->spaced[to->count - 1] = *r;
}
