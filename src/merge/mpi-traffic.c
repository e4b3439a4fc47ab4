/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-traffic.c - communicators, call sites, sizes and pairs of all ranks.
 *
 * Memory   follows the call sites, the communicators and the pairs of ranks
 *          that exchanged something; of many pairs peers are put together.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/combine.h"
#include "base/err.h"
#include "base/comparison.h"
#include "run/gatherer.h"
#include "base/map.h"

#define TRAFFIC_PEERS ((size_t)4 << 20) /* rows, at most */

struct traffic {
	struct run_calls sum; /* nodes: of the unified tree; ranks: as read */
	struct strings names; /* of communicators */
	struct map comms, sites, sizes, peers;
	size_t comm_room, site_room, size_room, peer_room;
};

static int init_traffic(void *state)
{
	struct traffic *t = state;

	t->sum.peer_block = 1;
	return str_add(&t->names, "") == STR_NONE ? no_memory() : 0;
}

static void fini_traffic(void *state)
{
	struct traffic *t = state;

	run_calls_fini(&t->sum);
	strings_fini(&t->names);
	map_fini(&t->comms);
	map_fini(&t->sites);
	map_fini(&t->sizes);
	map_fini(&t->peers);
	*t = (struct traffic){ 0 };
}

/*
 * The row of that key, made when it is new: a copy of `fresh`, marked by
 * *is_new.  NULL: out of memory.  `array` is the address of a T *.
 */
static void *find_row(struct map *map, uint64_t a, uint64_t b, void *array,
		      size_t *count, size_t *room, size_t size,
		      const void *fresh)
{
	uint32_t at = map_put(map, a, b, (uint32_t)*count);
	char *rows;

	memcpy(&rows, array, sizeof(rows));
	if (at == MAP_NONE)
		return NULL;
	if (at == *count) {
		rows = array_grow(rows, *count, room, size);
		if (!rows)
			return NULL;
		memcpy(array, &rows, sizeof(rows));
		memcpy(rows + at * size, fresh, size);
		++*count;
	}
	return rows + at * size;
}

/*
 * One process.
 */

/* Of two names the first in the alphabet, whatever the order of the files. */
static int add_comm_name(struct traffic *t, struct run_comm *to,
			 const char *name)
{
	if (!name || !*name ||
	    (to->name && strcmp(str_at(&t->names, to->name), name) <= 0))
		return 0;
	to->name = str_add(&t->names, name);
	return to->name == STR_NONE ? -ENOMEM : 0;
}

/* One more that is the same, or the first. */
static int put_comm(struct traffic *t, const struct run_comm *from,
		    const char *name, uint32_t *index)
{
	struct run_comm fresh = { .id = from->id,
				  .size = from->size,
				  .first = from->first,
				  .inter = from->inter,
				  .world = from->world };
	uint64_t other =
		from->id ? 0 : (uint64_t)from->inter << 32 | from->first;
	struct run_comm *to = find_row(&t->comms, from->id ^ from->world,
				       other << 32 | from->size, &t->sum.comms,
				       &t->sum.comm_count, &t->comm_room,
				       sizeof(*to), &fresh);

	if (!to)
		return -ENOMEM;
	*index = (uint32_t)(to - t->sum.comms);
	to->seen += from->seen;
	to->calls += from->calls;
	if (from->instances > to->instances)
		to->instances = from->instances;
	if (from->first < to->first)
		to->first = from->first;
	return add_comm_name(t, to, name);
}

static int add_comm(struct traffic *t, const struct profile_comm *from,
		    uint64_t world, uint32_t *index)
{
	struct run_comm one = { .id = from->id,
				.size = from->size,
				.first = from->first,
				.inter = from->inter,
				.seen = 1,
				.calls = from->calls,
				.instances = from->instances,
				.world = world };

	return put_comm(t, &one, from->name, index);
}

static int put_site(struct traffic *t, struct run_site one,
		    const uint32_t *comms)
{
	struct run_site *to;

	if (one.comm < PROFILE_SEVERAL_COMMS)
		one.comm = comms[one.comm];
	to = find_row(&t->sites, one.node, one.world, &t->sum.sites,
		      &t->sum.site_count, &t->site_room, sizeof(*to), &one);
	if (!to)
		return -ENOMEM;
	if (to->comm != one.comm)
		to->comm = RUN_SEVERAL_COMMS;
	if (to->root != one.root)
		to->root = -2;
	return 0;
}

static int put_size(struct traffic *t, const struct run_size *from)
{
	struct run_size one = { .node = from->node, .class = from->class };
	struct run_size *to =
		find_row(&t->sizes, one.node, one.class, &t->sum.sizes,
			 &t->sum.size_count, &t->size_room, sizeof(*to), &one);

	if (!to)
		return -ENOMEM;
	to->calls += from->calls;
	to->ns += from->ns;
	return 0;
}

static void sum_peer(struct run_peer *to, const struct run_peer *from)
{
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, from->name);
#include "live/peer.def"
#undef COLUMN
}

static int put_peer(struct traffic *t, const struct run_peer *from)
{
	uint32_t peer = from->peer - from->peer % t->sum.peer_block;
	struct run_peer one = { .rank = from->rank, .peer = peer };
	struct run_peer *to =
		find_row(&t->peers, from->rank, peer, &t->sum.peers,
			 &t->sum.peer_count, &t->peer_room, sizeof(*to), &one);

	if (!to)
		return -ENOMEM;
	sum_peer(to, from);
	return 0;
}

/* Twice as many peers in a row. */
static int widen_blocks(struct traffic *t)
{
	struct run_peer *old = t->sum.peers;
	size_t count = t->sum.peer_count;
	int err = 0;

	t->sum.peers = NULL;
	t->sum.peer_count = t->peer_room = 0;
	map_fini(&t->peers);
	t->sum.peer_block *= 2;
	for (size_t i = 0; i < count && !err; i++)
		err = put_peer(t, &old[i]);
	free(old);
	return err;
}

static int add_peer(struct traffic *t, const struct run_peer *peer)
{
	int err = put_peer(t, peer);

	while (!err && t->sum.peer_count > TRAFFIC_PEERS &&
	       t->sum.peer_block < 1u << 30)
		err = widen_blocks(t);
	return err;
}

static int gather_traffic(void *state, const struct gathered *one)
{
	struct traffic *t = state;
	const struct profile *p = one->profile;
	uint32_t *comms = calloc(p->comm_count + 1, sizeof(*comms));
	int err = comms ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->comm_count && !err; i++)
		err = add_comm(t, &p->comms[i], p->id.world_id, &comms[i]);
	for (size_t i = 0; i < p->site_count && !err; i++) {
		const struct profile_site *s = &p->sites[i];
		struct run_site site = { one->nodes[s->node], s->comm, s->root,
					 p->id.world_id };

		err = put_site(t, site, comms);
	}
	for (size_t i = 0; i < p->size_count && !err; i++) {
		const struct profile_size *s = &p->sizes[i];
		struct run_size size = { one->nodes[s->node], s->class,
					 s->calls, s->ns };

		err = put_size(t, &size);
	}
	for (size_t i = 0; i < p->peer_count && !err; i++) {
		const struct profile_peer *s = &p->peers[i];
		struct run_peer peer = {
			.rank = one->process,
			.peer = s->rank,
#define COLUMN(type, name, ...) .name = s->name,
#include "live/peer.def"
#undef COLUMN
		};

		err = add_peer(t, &peer);
	}
	free(comms);
	return err ? no_memory() : 0;
}

/*
 * The run.
 */

static void want_traffic(const void *state, bool *wanted)
{
	const struct traffic *t = state;

	for (size_t i = 0; i < t->sum.site_count; i++)
		wanted[t->sum.sites[i].node] = true;
	for (size_t i = 0; i < t->sum.size_count; i++)
		wanted[t->sum.sizes[i].node] = true;
}

/* From now on `world` is 0 for the run's own job, and 1 for others. */
static void mark_others(struct traffic *t, const struct run *run)
{
	bool others = false;

	for (size_t i = 0; i < run->rank_count; i++)
		others = others || run_is_other_job(&run->ranks[i]);
	for (size_t i = 0; i < t->sum.comm_count; i++) {
		struct run_comm *c = &t->sum.comms[i];

		c->world = others && c->world != run->ranks->world_id;
	}
	for (size_t i = 0; i < t->sum.site_count; i++) {
		struct run_site *s = &t->sum.sites[i];

		s->world = others && s->world != run->ranks->world_id;
		if (s->world)
			s->comm = RUN_NO_COMM;
	}
}

/* The largest first; then as it can be told apart in any order of files. */
ORDER_ROWS_BY(by_members, struct run_comm, of,
	      ASC(world) ?: DESC(size) ?: ASC(first) ?: DESC(calls) ?:
	      ASC(id) ?: ASC(inter))

/* Those of other jobs come last, and go. */
static int sort_comms(struct traffic *t, struct run *run)
{
	size_t count = t->sum.comm_count;
	uint32_t *order = calloc(count + 1, sizeof(*order));
	uint32_t *place = calloc(count + 1, sizeof(*place));
	struct run_comm *to = calloc(count + 1, sizeof(*to));
	int err = order && place && to ? 0 : -ENOMEM;

	run->calls.comms = to;
	for (size_t i = 0; i < count && !err; i++)
		order[i] = (uint32_t)i;
	if (!err)
		qsort_r(order, count, sizeof(*order), by_members, t->sum.comms);
	while (count && !err && t->sum.comms[order[count - 1]].world)
		count--;
	for (size_t i = 0; i < count && !err; i++) {
		to[i] = t->sum.comms[order[i]];
		place[order[i]] = (uint32_t)i;
		to[i].name =
			str_add(&run->strings, str_at(&t->names, to[i].name));
		err = to[i].name == STR_NONE ? -ENOMEM : 0;
	}
	run->calls.comm_count = err ? 0 : count;
	for (size_t i = 0; i < t->sum.site_count && !err; i++)
		if (t->sum.sites[i].comm < RUN_SEVERAL_COMMS)
			t->sum.sites[i].comm = place[t->sum.sites[i].comm];
	free(order);
	free(place);
	return err;
}

/* Several communicators only after those that can be told. */
ORDER_BY(by_run_site, struct run_site,
	 ASC(node) ?: ASC(world) ?: ASC(comm) ?: ASC(root))

/*
 * Contexts by address that have become one by name are one.  Where the run's
 * own job was, nothing is said of others'.
 */
static void put_sites(struct traffic *t, struct run *run,
		      const uint32_t *became)
{
	struct run_calls *to = &run->calls;
	struct run_site *rows = t->sum.sites;

	for (size_t i = 0; i < t->sum.site_count; i++)
		rows[i].node = became[rows[i].node];
	if (t->sum.site_count)
		qsort(rows, t->sum.site_count, sizeof(*rows), by_run_site);
	for (size_t i = 0; i < t->sum.site_count; i++) {
		struct run_site *last = rows + to->site_count - 1;

		if (!to->site_count || last->node != rows[i].node) {
			rows[to->site_count++] = rows[i];
			continue;
		}
		if (last->world != rows[i].world)
			continue;
		if (last->comm != rows[i].comm)
			last->comm = RUN_SEVERAL_COMMS;
		if (last->root != rows[i].root)
			last->root = -2;
	}
	to->sites = rows;
	t->sum.sites = NULL;
}

ORDER_BY(by_run_size, struct run_size, ASC(node) ?: ASC(class))

static void put_sizes(struct traffic *t, struct run *run,
		      const uint32_t *became)
{
	struct run_calls *to = &run->calls;
	struct run_size *rows = t->sum.sizes;

	for (size_t i = 0; i < t->sum.size_count; i++)
		rows[i].node = became[rows[i].node];
	if (t->sum.size_count)
		qsort(rows, t->sum.size_count, sizeof(*rows), by_run_size);
	for (size_t i = 0; i < t->sum.size_count; i++) {
		struct run_size *last = rows + to->size_count - 1;

		if (!to->size_count || by_run_size(last, &rows[i])) {
			rows[to->size_count++] = rows[i];
			continue;
		}
		last->calls += rows[i].calls;
		last->ns += rows[i].ns;
	}
	to->sizes = rows;
	t->sum.sizes = NULL;
}

ORDER_BY(by_pair, struct run_peer, ASC(rank) ?: ASC(peer))

/* Those of processes that are no ranks of this world go. */
static void put_peers(struct traffic *t, struct run *run, const uint32_t *order)
{
	struct run_calls *to = &run->calls;
	struct run_peer *rows = t->sum.peers;

	for (size_t i = 0; i < t->sum.peer_count; i++) {
		uint32_t rank = order[rows[i].rank];

		if (rank >= run->member_count || rows[i].peer >= run->world)
			continue;
		rows[i].rank = rank;
		rows[to->peer_count++] = rows[i];
	}
	if (to->peer_count)
		qsort(rows, to->peer_count, sizeof(*rows), by_pair);
	to->peers = rows;
	to->peer_block = t->sum.peer_block;
	t->sum.peers = NULL;
}

static int finish_traffic(void *state, struct run *run, const uint32_t *order,
			  const uint32_t *became)
{
	struct traffic *t = state;
	int err;

	mark_others(t, run);
	err = sort_comms(t, run);
	if (err)
		return no_memory();
	put_sites(t, run, became);
	put_sizes(t, run, became);
	put_peers(t, run, order);
	fini_traffic(t);
	return 0;
}

const struct gatherer gatherer_mpi_traffic = { .size = sizeof(struct traffic),
					       .init = init_traffic,
					       .fini = fini_traffic,
					       .add = gather_traffic,
					       .wanted = want_traffic,
					       .finish = finish_traffic };
