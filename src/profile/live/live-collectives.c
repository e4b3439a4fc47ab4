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
		.parts = c.parts,
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

/* Frames of NCCL have no names. */
static bool is_in_nccl(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];

	return n->kind == NODE_NAMED ||
	       (n->kind == NODE_CALL &&
		strstr(p->modules[n->owner].path, "/libnccl"));
}

/* The function of NCCL, below who called it. */
static uint32_t called_function(struct reader *r,
				const struct live_announced *at)
{
	uint32_t caller = at->node ? reader_node(r, at->node) : 0;

	while (caller && is_in_nccl(r->p, caller))
		caller = r->p->nodes[caller].parent;
	return caller ? reader_named(r, caller, at->name) : 0;
}

/*
 * The first call that has not ended, if its place was not given to a later one.
 */
static void set_next_call(struct reader *r, struct profile_communicator *to,
			  const struct live_communicator *c)
{
	const struct live_announced *at = &c->calls[c->ended % LIVE_ANNOUNCED];

	if (c->announced <= c->ended ||
	    c->announced - c->ended > LIVE_ANNOUNCED ||
	    at->ns > PROFILE_TIME_MOST)
		return;
	to->node = called_function(r, at);
	to->launched = at->ns;
	to->bytes = at->bytes;
}

static live_ref take_communicator(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_communicator c;
	struct profile_communicator *to;

	memcpy(&c, at, sizeof(c));
	if (!reader_grow(r, &p->communicators, p->communicator_count,
			 sizeof(*to)))
		return 0;
	to = &p->communicators[p->communicator_count++];
	*to = (struct profile_communicator){
		.id = c.id,
		.size = c.size,
		.rank = c.rank,
		.announced = c.announced,
		.ended = c.ended,
	};
	set_next_call(r, to, &c);
	return c.next;
}

static void read_device_calls(struct reader *r)
{
	read_collectives(r);
	reader_walk(r, r->header.gpu_lists.communicators,
		    sizeof(struct live_communicator), take_communicator);
}

const struct live_section section_collectives = { .tables = read_device_calls };
