/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - one table of partners, for the life of the process. */
#include "mpi/messages.h"

#include <sched.h>

#include "mpi/hash.h"
#include "mpi/next.h"

enum {
	PARTNERS = 8192,
	PEERS = 4096,
	RECENT = 256,
	TAG_CLASSES = 256,
	/*
	 * Instances are chosen in runs of so many: what ends in one call, and
	 * what caused it, is mostly chosen together.
	 */
	RUN = 16,
	HIGHEST = 63,
};

static struct partner partners[PARTNERS];
static uint32_t known; /* of them; 1/8 stays empty */
static struct live_peer *peers[PEERS];

/* The last partners: finding one of them again needs no hash. */
static struct {
	uint64_t comm_id;
	int rank, tag;
	struct partner *partner;
} recent[RECENT];
static int held;

void messages_lock(void)
{
	while (comms_threads && __atomic_exchange_n(&held, 1, __ATOMIC_ACQUIRE))
		sched_yield();
}

void messages_unlock(void)
{
	if (comms_threads)
		__atomic_store_n(&held, 0, __ATOMIC_RELEASE);
}

bool level_is_kept(uint32_t level)
{
	static const uint32_t *lowest;

	if (!lowest)
		lowest = copse_part_level();
	return level >= *lowest;
}

static uint8_t level_of(uint64_t id, uint64_t number)
{
	uint64_t choice = hash_pair(id, number / RUN);

	return (uint8_t)(choice ? __builtin_ctzll(choice) : HIGHEST);
}

/* One record for each process, whatever the communicator and the tag. */
static struct live_peer *peer_of(int world)
{
	for (uint32_t i = 0; i < PEERS; i++) {
		uint32_t at = ((uint32_t)world + i) % PEERS;

		if (!peers[at])
			return peers[at] = copse_peer_new((uint32_t)world);
		if (peers[at]->rank == (uint32_t)world)
			return peers[at];
	}
	return NULL;
}

static struct partner *add(struct partner *p, uint64_t key, int world)
{
	if (known >= PARTNERS / 8 * 7)
		return NULL;
	known++;
	p->world = world;
	p->key = key;
	return p;
}

static struct partner *find(uint64_t key, int world)
{
	for (uint64_t at = key;; at++) {
		struct partner *p = &partners[at % PARTNERS];

		if (p->key == key)
			return p;
		if (!p->key)
			return add(p, key, world);
	}
}

static struct partner *look_up(const struct comm *comm, int rank, int tag)
{
	int world = comm_world(comm, rank);
	uint64_t who =
		(uint64_t)(uint32_t)world << 32 | (uint32_t)tag % TAG_CLASSES;

	return world < 0 ? NULL : find(hash_pair(comm->id, who) | 1, world);
}

struct partner *partner_of(const struct comm *comm, int rank, int tag)
{
	uint32_t at = ((uint32_t)rank * 7 + (uint32_t)tag) % RECENT;

	if (recent[at].partner && recent[at].comm_id == comm->id &&
	    recent[at].rank == rank && recent[at].tag == tag)
		return recent[at].partner;
	recent[at].partner = look_up(comm, rank, tag);
	/* Without an id ranks of several communicators are not told apart. */
	if (!comm->id)
		recent[at].rank = MPI_PROC_NULL;
	else
		recent[at].rank = rank;
	recent[at].comm_id = comm->id;
	recent[at].tag = tag;
	return recent[at].partner;
}

/* The level of a message; that of a run of them is computed once. */
static uint8_t level_in(struct numbers *numbers, uint64_t id, uint64_t number)
{
	uint32_t run = (uint32_t)(number / RUN) + 1;

	if (numbers->run != run) {
		numbers->run = run;
		numbers->level = level_of(id, number);
	}
	return numbers->level;
}

bool message_number(struct live_part *part, const struct comm *comm,
		    struct partner *partner, int tag, enum live_part_kind kind)
{
	bool sends = kind == LIVE_PART_SEND;
	struct numbers *numbers = sends ? &partner->sent : &partner->received;
	uint64_t from = (uint64_t)(uint32_t)comms_world_rank;
	uint64_t to = (uint64_t)(uint32_t)partner->world;
	uint32_t number = numbers->next++;
	uint8_t level;

	if (!comm->id || partner->broken)
		return false;
	level = level_in(numbers, comm->id, number + (uint64_t)(uint32_t)tag);
	if (!level_is_kept(level))
		return false;
	*part = (struct live_part){ .kind = (uint8_t)kind,
				    .level = level,
				    .peer = partner->world,
				    .check = (uint32_t)tag,
				    .size = 2,
				    .comm_rank = (uint32_t)comm->rank };
	part->key = hash_pair(
		hash_pair(comm->id, sends ? from << 32 | to : to << 32 | from),
		(uint64_t)(uint32_t)tag % TAG_CLASSES << 32 | number);
	return true;
}

void message_count(struct partner *partner, enum live_part_kind kind,
		   uint64_t bytes, uint64_t ns)
{
	struct live_peer *peer;

	if (!partner->peer)
		partner->peer = peer_of(partner->world);
	peer = partner->peer;
	if (!peer)
		return;
	if (kind == LIVE_PART_SEND) {
		peer->sends++;
		peer->sent += bytes;
		peer->send_ns += ns;
	} else {
		peer->receives++;
		peer->received += bytes;
		peer->receive_ns += ns;
	}
}

static uint32_t hash_text(const char *text)
{
	uint64_t hash = 1;

	for (; *text; text++)
		hash = hash_pair(hash, (unsigned char)*text);
	return (uint32_t)hash;
}

bool collective_number(struct live_part *part, struct comm *comm,
		       const char *function, int root, enum live_part_kind kind)
{
	uint64_t number = comm->instances++;

	if (comm->live)
		comm->live->instances = comm->instances;
	if (!comm->id || comm->inter || comm->size < 2)
		return false;
	part->level = level_of(comm->id, number);
	if (!level_is_kept(part->level))
		return false;
	part->key = hash_pair(comm->id, number);
	part->kind = (uint8_t)kind;
	part->peer = root < 0 ? -1 : comm_world(comm, root);
	part->check = hash_text(function);
	part->size = (uint32_t)comm->size;
	part->comm_rank = (uint32_t)comm->rank;
	return true;
}
