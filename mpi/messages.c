/* SPDX-License-Identifier: BSD-3-Clause */
/* messages.c - one table of partners, for the life of the process. */
#include "mpi/messages.h"

#include "base/sys.h"
#include "base/hash.h"
#include "mpi/libmpi.h"

enum {
	PARTNERS = 8192,
	PEERS = 4096,
	TAG_CLASSES = 256,
	HIGHEST = 63,
};

static struct partner *partners; /* mapped for the first one */
static struct live_peer *peers[PEERS];
static uint32_t known, met; /* of them; 1/8 of the partners stays empty */
static uint16_t known_at[PARTNERS], met_at[PEERS]; /* where they are */

struct recent messages_recent[MESSAGES_RECENT];
static const uint32_t all;
const uint32_t *messages_lowest = &all;
pthread_mutex_t messages_mutex = PTHREAD_MUTEX_INITIALIZER;

void messages_init(void)
{
	messages_lowest = copse_mpi_event_level();
}

void messages_forked(void)
{
	for (uint32_t i = 0; i < met; i++)
		peers[met_at[i]] = NULL;
	met = 0;
	for (uint32_t i = 0; i < known; i++)
		partners[known_at[i]].peer = NULL;
	/* Another thread's, that is not here. */
	pthread_mutex_init(&messages_mutex, NULL);
}

uint8_t message_level(uint64_t id, uint64_t run)
{
	uint64_t choice = hash_pair(id, run);

	return (uint8_t)(choice ? __builtin_ctzll(choice) : HIGHEST);
}

static struct live_peer *meet_peer(uint32_t at, int world)
{
	peers[at] = copse_mpi_peer_new((uint32_t)world);
	if (peers[at])
		met_at[met++] = (uint16_t)at;
	return peers[at];
}

/* One record for each process, whatever the communicator and the tag. */
static struct live_peer *peer_of(int world)
{
	for (uint32_t i = 0; i < PEERS; i++) {
		uint32_t at = ((uint32_t)world + i) % PEERS;

		if (!peers[at])
			return meet_peer(at, world);
		if (peers[at]->rank == (uint32_t)world)
			return peers[at];
	}
	return NULL;
}

static struct partner *add_partner(struct partner *p, uint64_t key, int world)
{
	if (known >= PARTNERS / 8 * 7)
		return NULL;
	known_at[known++] = (uint16_t)(p - partners);
	p->world = world;
	p->key = key;
	return p;
}

static struct partner *known_partner(uint64_t key, int world)
{
	if (!partners && !(partners = sys_memory(PARTNERS * sizeof(*partners))))
		return NULL;
	for (uint64_t at = key;; at++) {
		struct partner *p = &partners[at % PARTNERS];

		if (p->key == key)
			return p;
		if (!p->key)
			return add_partner(p, key, world);
	}
}

static struct partner *look_up_partner(const struct comm *comm, int rank,
				       int tag)
{
	int world = comm_world(comm, rank);
	uint64_t who =
		(uint64_t)(uint32_t)world << 32 | (uint32_t)tag % TAG_CLASSES;

	return world < 0 ? NULL
			 : known_partner(hash_pair(comm->id, who) | 1, world);
}

/* Without an id ranks of several communicators are not told apart. */
struct partner *message_partner_find(const struct comm *comm, int rank, int tag)
{
	struct partner *partner = look_up_partner(comm, rank, tag);

	*message_recent_place(rank, tag) =
		(struct recent){ comm->id, rank, tag,
				 comm->id ? partner : NULL };
	return partner;
}

/* What is kept or left out together: a run of messages, or of calls. */
static uint32_t cluster_of(uint64_t id, uint64_t run)
{
	return (uint32_t)hash_pair(id, run) | 1;
}

bool message_keep(struct live_event *event, const struct comm *comm,
		  const struct partner *partner, int tag,
		  const struct numbers *numbers)
{
	bool sends = numbers == &partner->sent;

	if (!comm->id || partner->broken)
		return false;
	*event = (struct live_event){
		.kind = sends ? LIVE_EVENT_SEND : LIVE_EVENT_RECV,
		.level = numbers->level,
		.peer = partner->world,
		.check = (uint32_t)tag,
		.size = 2,
		.comm_rank = (uint32_t)comm->rank,
		.cluster = cluster_of(comm->id, numbers->run)
	};
	event->key = hash_pair(
		hash_pair(comm->id, message_way(sends, partner->world)),
		(uint64_t)(uint32_t)tag % TAG_CLASSES << 48 | numbers->next);
	return true;
}

bool message_peer_find(struct partner *partner)
{
	partner->peer = peer_of(partner->world);
	return partner->peer;
}

static uint32_t hash_text(const char *text)
{
	uint64_t hash = 1;

	for (; *text; text++)
		hash = hash_pair(hash, (unsigned char)*text);
	return (uint32_t)hash;
}

bool message_number_collective(struct live_event *event, struct comm *comm,
			       const char *function, int root,
			       enum live_event_kind kind)
{
	uint64_t number = comm->instances++;

	if (comm->live)
		comm->live->instances = comm->instances;
	if (!comm->id || comm->inter || comm->size < 2)
		return false;
	event->level = message_level(comm->id, number / MESSAGES_RUN);
	if (!message_level_is_kept(event->level))
		return false;
	event->key = hash_pair(comm->id, number);
	event->kind = (uint8_t)kind;
	event->peer = root < 0 ? -1 : comm_world(comm, root);
	event->check = hash_text(function);
	event->size = (uint32_t)comm->size;
	event->cluster = cluster_of(comm->id, number / MESSAGES_RUN);
	event->comm_rank = (uint32_t)comm->rank;
	return true;
}

bool message_number_pair(struct live_event *event, const struct comm *comm,
			 int rank, enum live_event_kind kind, uint64_t number,
			 uint64_t run)
{
	int world = comm_world(comm, rank);
	uint8_t level = message_level(comm->id, run / MESSAGES_RUN);

	if (!comm->id || world < 0 || !message_level_is_kept(level))
		return false;
	*event = (struct live_event){ .kind = (uint8_t)kind,
				      .level = level,
				      .peer = world,
				      .size = 2,
				      .comm_rank = (uint32_t)comm->rank,
				      .cluster = cluster_of(
					      comm->id, run / MESSAGES_RUN) };
	event->key = hash_pair(
		hash_pair(comm->id,
			  message_way(kind == LIVE_EVENT_SEND, world)),
		~number);
	return true;
}
