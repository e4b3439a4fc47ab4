/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-power.c - what was read of GPUs' power beside a process, put on its
 * devices and phases.
 */
#include <stdlib.h>
#include <string.h>

#include "base/comparison.h"
#include "live/power.h"
#include "profile/live/live-reader.h"

/* Copied: what is behind a live profile may be unaligned. */
struct power_reader {
	struct live_power from;
	uint32_t rows[LIVE_POWER_BOARDS]; /* of that board, or NONE */
};
#define NONE UINT32_MAX

static bool is_board_valid(const struct live_power_board *b)
{
	return b->bin_shift < 64 && b->first_ns <= b->last_ns &&
	       b->last_ns <= PROFILE_TIME_MOST &&
	       b->first_bin <= PROFILE_TIME_MOST;
}

static void take_board_bins(struct reader *r, const struct live_power_board *b)
{
	struct profile *p = r->p;

	for (uint32_t i = 0; i < LIVE_POWER_BINS && b->moving % 2 == 0; i++) {
		if (!b->bins[i].ns ||
		    !reader_grow(r, &p->power_bins, p->power_bin_count,
				 sizeof(*p->power_bins)))
			continue;
		p->power_bins[p->power_bin_count++] =
			(struct profile_power_bin){ (uint32_t)p->power_count -
							    1,
						    i,
						    b->bins[i].uj,
						    b->bins[i].ns,
						    b->bins[i].uses_ns,
						    b->bins[i].use_sm,
						    b->bins[i].use_tensor,
						    b->bins[i].use_memory };
	}
}

static void put_board(struct reader *r, const struct live_power *from,
		      const struct live_power_board *b, uint32_t device,
		      bool is_mig)
{
	struct profile *p = r->p;
	struct profile_power *to = &p->powers[p->power_count++];

	*to = (struct profile_power){
		.device = device,
		.is_mig = is_mig,
#define COLUMN(type, name, ...) .name = b->name,
#define ADDED                   COLUMN
#include "live/power.def"
#undef COLUMN
#undef ADDED
		.cpu_ns = from->cpu_ns,
		.slowest_ns = from->slowest_ns,
	};
	memcpy(to->uuid, b->uuid, sizeof(to->uuid) - 1);
	memcpy(to->bus, b->bus, sizeof(to->bus) - 1);
	take_board_bins(r, b);
}

/*
 * The board of a device's UUID, GPU-… or MIG-…, or LIVE_POWER_NO_BOARD.
 * Who reads power may have ended before it knew of the device.
 */
static uint32_t board_of(const struct live_power *from, const char *uuid,
			 bool *is_mig)
{
	*is_mig = false;
	for (uint32_t i = 0; i < from->board_count && i < LIVE_POWER_BOARDS;
	     i++)
		if (*uuid && !strncmp(from->boards[i].uuid, uuid,
				      sizeof(from->boards[i].uuid)))
			return i;
	for (uint32_t i = 0; i < from->device_count && i < LIVE_POWER_DEVICES;
	     i++) {
		const struct live_power_device *d = &from->devices[i];

		*is_mig = d->is_mig;
		if (strlen(uuid) > 4 &&
		    !strncmp(d->uuid, uuid + 4, sizeof(d->uuid)))
			return d->board;
	}
	return LIVE_POWER_NO_BOARD;
}

static void take_power_device(struct reader *r, struct power_reader *w,
			      uint32_t device)
{
	bool is_mig;
	uint32_t board =
		board_of(&w->from, r->p->devices[device].uuid, &is_mig);
	const struct live_power_board *b;

	if (board >= LIVE_POWER_BOARDS || w->rows[board] != NONE)
		return;
	b = &w->from.boards[board];
	if (!is_board_valid(b)) {
		r->damaged++;
	} else if (b->readings &&
		   reader_grow(r, &r->p->powers, r->p->power_count,
			       sizeof(*r->p->powers))) {
		w->rows[board] = (uint32_t)r->p->power_count;
		put_board(r, &w->from, b, device, is_mig);
	}
}

static void take_phase(struct reader *r, const struct power_reader *w,
		       const struct live_power_phase *row)
{
	struct profile *p = r->p;
	bool ours = row->pid == r->header.pid &&
		    row->start_ns == r->header.start_mono_ns;

	if (!ours || row->board >= LIVE_POWER_BOARDS ||
	    w->rows[row->board] == NONE ||
	    !reader_grow(r, &p->power_phases, p->power_phase_count,
			 sizeof(*p->power_phases)))
		return;
	p->power_phases[p->power_phase_count++] = (struct profile_power_phase){
		.power = w->rows[row->board],
		.node = reader_node(r, row->node),
		.readings = row->readings,
		.uj = row->uj,
		.ns = row->ns,
#define ADDED(type, name, ...) .name = row->name,
#include "live/gpu-uses.def"
#undef ADDED
	};
}

ORDER_BY(by_profile_phase, struct profile_power_phase, ASC(power) ?: ASC(node))

static void take_power(struct reader *r, struct power_reader *w, const void *at)
{
	memcpy(&w->from, at, sizeof(w->from));
	if (w->from.magic != LIVE_POWER_MAGIC) {
		r->damaged++;
		return;
	}
	memset(w->rows, 0xff, sizeof(w->rows));
	for (uint32_t i = 0; i < r->p->device_count; i++)
		take_power_device(r, w, i);
	for (uint32_t i = 0;
	     i < w->from.phase_count && i < LIVE_POWER_PHASES && !r->err; i++)
		take_phase(r, w, &w->from.phases[i]);
	if (r->p->power_phase_count)
		qsort(r->p->power_phases, r->p->power_phase_count,
		      sizeof(*r->p->power_phases), by_profile_phase);
}

static void read_power(struct reader *r)
{
	struct power_reader *w;
	const void *at;

	if (!r->header.power)
		return;
	at = reader_claim(r, r->header.power, sizeof(struct live_power));
	w = at ? malloc(sizeof(*w)) : NULL;
	if (w)
		take_power(r, w, at);
	else if (at)
		reader_no_memory(r);
	free(w);
}

const struct live_section section_power = { .tables = read_power };
