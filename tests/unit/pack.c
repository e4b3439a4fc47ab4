/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pack.c - what processes have separately, put together, is what one would have
 * that had read all: with bounds so small that each has to leave something out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge/mpi-traffic.h"
#include "merge/unify.h"
#include "profile/profile.h"
#include "run/run-blob.h"
#include "tests/lib/test.h"
#include "waits/match-events.h"

enum {
	RANKS = 9,
	NODES = 5,
	PARTS = 40,
	MOMENTS = 50,
	PEERS = 7
};

static struct profile_node nodes[NODES] = {
	{ 0 },
	{ 0, NODE_NAMED, 0, 0 },
	{ 0, NODE_NAMED, 1, 0 },
	{ 1, NODE_NAMED, 1, 0 },
	{ 2, NODE_NAMED, 0, 0 },
};
static char one[] = "MPI_Send", two[] = "MPI_Recv";
static struct profile_name names[] = { { one, 0, 0 }, { two, 0, 0 } };

static struct rank {
	struct profile profile;
	struct profile_thread thread;
	struct profile_part parts[PARTS];
	struct profile_moment moments[MOMENTS];
	struct profile_peer peers[PEERS];
	struct profile_comm comms[2];
	struct profile_site sites[2];
	struct profile_size sizes[2];
	char comm_name[16];
} world[RANKS];

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void make_waits(struct rank *r)
{
	for (uint32_t i = 0; i < PARTS; i++)
		r->parts[i] = (struct profile_part){
			.key = draw(1000),
			.node = 1 + draw(NODES - 1),
			.begin_node = 1 + draw(NODES - 1),
			.size = 2,
			.level = draw(6),
		};
	for (uint32_t i = 0; i < MOMENTS; i++)
		r->moments[i] = (struct profile_moment){ .ns = i,
							 .node = draw(NODES),
							 .weight_ns = draw(9) };
}

static void make_calls(struct rank *r, uint32_t rank)
{
	for (uint32_t i = 0; i < PEERS; i++)
		r->peers[i] = (struct profile_peer){ .rank = (rank + i) % RANKS,
						     .sends = 1 + draw(5),
						     .sent = draw(99) };
	snprintf(r->comm_name, sizeof(r->comm_name), "c%u", draw(3));
	r->comms[0] = (struct profile_comm){ .size = RANKS,
					     .id = 1 + draw(2),
					     .calls = draw(9),
					     .instances = draw(9),
					     .first = draw(4),
					     .name = r->comm_name };
	r->comms[1] = (struct profile_comm){ .size = 2, .first = draw(3) };
	r->comms[1].name = r->comm_name;
	for (uint32_t i = 0; i < 2; i++) {
		r->sites[i] = (struct profile_site){ 1 + i, draw(2),
						     (int32_t)draw(2) };
		r->sizes[i] = (struct profile_size){ 1 + 2 * i, draw(3), 1,
						     draw(50) };
	}
}

static void make_world(uint32_t from)
{
	seed = from;
	for (uint32_t i = 0; i < RANKS; i++) {
		struct rank *r = &world[i];

		*r = (struct rank){ .thread = { .runs = 1,
						.every = 1,
						.samples = 1,
						.level = draw(8) ? 0 : 1 } };
		make_waits(r);
		make_calls(r, i);
		r->profile = (struct profile){
			.nodes = nodes,
			.node_count = NODES,
			.names = names,
			.name_count = 2,
			.threads = &r->thread,
			.thread_count = 1,
			.parts = r->parts,
			.part_count = PARTS,
			.moments = r->moments,
			.moment_count = MOMENTS,
			.peers = r->peers,
			.peer_count = PEERS,
			.comms = r->comms,
			.comm_count = 2,
			.sites = r->sites,
			.site_count = 2,
			.sizes = r->sizes,
			.size_count = 2,
		};
	}
}

static const uint32_t same[NODES] = { 0, 1, 2, 3, 4 };

struct both {
	struct matched_events parts;
	struct traffic traffic;
};

static void both_init(struct both *b, uint32_t first, uint32_t end)
{
	match_init(&b->parts, 150 * sizeof(struct event_record),
		   90 * sizeof(struct trace_point));
	CHECK(!traffic_init(&b->traffic, 25));
	for (uint32_t i = first; i < end; i++) {
		CHECK(!match_add(&b->parts, &world[i].profile, i - first,
				 same));
		CHECK(!traffic_add(&b->traffic, &world[i].profile, i - first,
				   same));
	}
}

static void both_fini(struct both *b)
{
	match_fini(&b->parts);
	traffic_fini(&b->traffic);
}

static void absorb(struct both *to, struct both *from, uint32_t process)
{
	struct blob blob = { 0 };

	match_pack(&from->parts, &blob);
	traffic_pack(&from->traffic, &blob);
	CHECK(!blob_error(&blob));
	CHECK(!match_absorb(&to->parts, &blob, process, same));
	CHECK(!traffic_absorb(&to->traffic, &blob, process, same));
	CHECK(blob.read == blob.size);
	blob_fini(&blob);
	both_fini(from);
}

static void check_parts(const struct matched_events *a,
			const struct matched_events *b)
{
	CHECK(a->level && a->level == b->level);
	CHECK(a->thinned && a->thinned == b->thinned);
	CHECK(a->joined.parts == b->joined.parts);
	CHECK(a->count == b->count && a->count);
	CHECK(!memcmp(a->at, b->at, a->count * sizeof(*a->at)));
	CHECK(a->source_count == b->source_count);
	CHECK(!memcmp(a->sources, b->sources,
		      a->source_count * sizeof(*a->sources)));
	CHECK(a->series_count == b->series_count);
	for (size_t i = 0; i < a->series_count; i++) {
		const struct series *s = &a->series[i], *t = &b->series[i];

		CHECK(s->process == t->process && s->count == t->count);
		CHECK(!memcmp(s->at, t->at, s->count * sizeof(*s->at)));
	}
}

static void check_calls(const struct traffic *a, const struct traffic *b)
{
	const struct run_calls *c = &a->sum, *d = &b->sum;

	CHECK(c->peer_block > 1 && c->peer_block == d->peer_block);
	CHECK(c->peer_count == d->peer_count);
	CHECK(!memcmp(c->peers, d->peers, c->peer_count * sizeof(*c->peers)));
	CHECK(c->site_count == d->site_count);
	CHECK(!memcmp(c->sites, d->sites, c->site_count * sizeof(*c->sites)));
	CHECK(c->size_count == d->size_count);
	CHECK(!memcmp(c->sizes, d->sizes, c->size_count * sizeof(*c->sizes)));
	CHECK(c->comm_count == d->comm_count);
	for (size_t i = 0; i < c->comm_count; i++) {
		struct run_comm x = c->comms[i], y = d->comms[i];

		CHECK(!strcmp(str_at(&a->names, x.name),
			      str_at(&b->names, y.name)));
		x.name = y.name = 0;
		CHECK(!memcmp(&x, &y, sizeof(x)));
	}
}

TEST(processes_together_have_what_one_would_have)
{
	for (uint32_t try = 1; try <= 40; try++) {
		struct both all, first, second, third;

		make_world(try);
		both_init(&all, 0, RANKS);
		both_init(&first, 0, 3);
		both_init(&second, 3, 5);
		both_init(&third, 5, RANKS);
		absorb(&second, &third, 2); /* as in a tree */
		absorb(&first, &second, 3);
		check_parts(&all.parts, &first.parts);
		check_calls(&all.traffic, &first.traffic);
		both_fini(&all);
		both_fini(&first);
	}
}

TEST(what_was_cut_off_is_refused)
{
	struct blob blob = { 0 };
	struct both some, more;

	make_world(1);
	both_init(&some, 0, 2);
	match_pack(&some.parts, &blob);
	traffic_pack(&some.traffic, &blob);
	for (size_t size = 0; size < blob.size; size += 8) {
		struct blob part = { .at = blob.at, .size = size };

		both_init(&more, 0, 0);
		CHECK(match_absorb(&more.parts, &part, 0, same) ||
		      traffic_absorb(&more.traffic, &part, 0, same));
		both_fini(&more);
	}
	blob_fini(&blob);
	both_fini(&some);
}
