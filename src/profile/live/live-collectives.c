/* SPDX-License-Identifier: BSD-3-Clause */
/* live-collectives.c - collective calls of devices in a live profile, read. */
#include <string.h>

#include "profile/live/live-reader.h"

/* A kernel is a node below the call that launched it. */
static uint32_t launched_kernel(struct reader *r, live_ref launch,
				uint32_t name)
{
	return launch ? reader_named(r, reader_node(r, launch), name) : 0;
}

static void take_collective(struct reader *r, uint32_t unused, const void *at)
{
	struct profile *p = r->p;
	struct live_collective c;

	(void)unused;
	memcpy(&c, at, sizeof(c));
	if (c.level > 64 || c.function >= LIVE_COLLECTIVES ||
	    c.thread >= p->thread_count || c.start > c.end ||
	    c.end > PROFILE_TIME_MOST || c.launched > PROFILE_TIME_MOST) {
		r->damaged++;
		return;
	}
	if (!reader_grow(r, &p->collectives, p->collective_count,
			 sizeof(*p->collectives)))
		return;
	p->collectives[p->collective_count++] = (struct profile_collective){
		.key = c.key,
		.launched = c.launched,
		.start = c.start,
		.end = c.end,
		.bytes = c.bytes,
		.busy_ns = c.busy_ns,
		.node = launched_kernel(r, c.node, c.name),
		.busy_node = launched_kernel(r, c.busy_node, c.busy_name),
		.thread = c.thread,
		.comm = c.comm,
		.size = c.size,
		.comm_rank = c.rank,
		.device = c.device,
		.function = c.function,
		.level = c.level,
		.kept = r->header.gpu_lists.collectives_level,
	};
}

static void read_collectives(struct reader *r)
{
	const struct live_gpu_lists *lists = &r->header.gpu_lists;

	if (lists->collectives_moving & 1) {
		r->p->losses[LOSS_MOVED_PARTS].count++;
		return;
	}
	reader_chunks(r, lists->collectives, sizeof(struct live_collective), 0,
		      take_collective);
}

const struct live_section section_collectives = { .tables = read_collectives };
