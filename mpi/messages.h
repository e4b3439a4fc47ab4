/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages.h - numbers messages alike at both ends, and counts them by partner.
 *
 * MPI keeps the order of messages of one sender, receiver, communicator and
 * tag.  Both ends count them, so the n-th there is the n-th here; nothing is
 * added to a message.  Tags are counted in classes of their lowest bits, since
 * some programs use a new one for each step: of a class, too, messages are
 * nearly always received in the order they were sent, and events whose tags
 * differ are not joined.
 *
 * Threads   Any; when several call MPI at a time, messages_lock() orders them.
 */
#pragma once

#include <mpi.h>
#include <pthread.h>

#include "base/hidden.h"
#include "collect/regions/region.h"
#include "mpi/comms.h"

/* Messages of one direction; the level is that of a run of them. */
struct numbers {
	uint64_t next;
	uint64_t run; /* that the level is of */
	uint8_t level;
};

struct partner { /* a process, in a communicator, and a class of tags */
	uint64_t key;
	int world;   /* its rank in MPI_COMM_WORLD */
	bool broken; /* numbers do not agree any more */
	struct numbers sent, received;
	struct live_peer *peer;
};

/* The last partners: finding one of them again needs no hash. */
struct recent {
	uint64_t comm_id;
	int rank, tag;
	struct partner *partner;
};

enum {
	MESSAGES_RECENT = 256,
	/*
	 * Instances are chosen in runs of so many: what ends in one call, and
	 * what caused it, is mostly chosen together.
	 */
	MESSAGES_RUN = 16,
};

extern HIDDEN struct recent messages_recent[MESSAGES_RECENT];
extern HIDDEN const uint32_t *messages_lowest; /* level that is kept */

/* Slow parts of what follows. */
struct partner *message_partner_find(const struct comm *comm, int rank,
				     int tag);
uint8_t message_level(uint64_t id, uint64_t run);
bool message_keep(struct live_event *event, const struct comm *comm,
		  const struct partner *partner, int tag,
		  const struct numbers *numbers);
bool message_peer_find(struct partner *partner);

/* Who waits for it sleeps: its owner may be of a lower priority. */
extern pthread_mutex_t messages_mutex;

static inline void messages_lock(void)
{
	if (comms_threads)
		pthread_mutex_lock(&messages_mutex);
}

static inline void messages_unlock(void)
{
	if (comms_threads)
		pthread_mutex_unlock(&messages_mutex);
}

static inline bool message_level_is_kept(uint32_t level)
{
	return level >= *messages_lowest;
}

static inline struct recent *message_recent_place(int rank, int tag)
{
	uint32_t at = (uint32_t)rank * 7 + (uint32_t)tag;

	return &messages_recent[at % MESSAGES_RECENT];
}

/* NULL: it is none of the last ones. */
static inline struct partner *message_partner_recent(const struct comm *comm,
						     int rank, int tag)
{
	const struct recent *r = message_recent_place(rank, tag);
	bool is_it = r->comm_id == comm->id && r->rank == rank && r->tag == tag;

	return is_it ? r->partner : NULL;
}

/* Never the process MPI_PROC_NULL; NULL: too many, or of another world. */
static inline struct partner *message_partner_of(const struct comm *comm,
						 int rank, int tag)
{
	struct partner *recent = message_partner_recent(comm, rank, tag);

	return recent ? recent : message_partner_find(comm, rank, tag);
}

static inline struct numbers *message_numbers(struct partner *partner,
					      enum live_event_kind kind)
{
	return kind == LIVE_EVENT_SEND ? &partner->sent : &partner->received;
}

static inline uint64_t message_run(const struct numbers *numbers, int tag)
{
	return (numbers->next + (uint32_t)tag) / MESSAGES_RUN + 1;
}

/* From whom to whom, alike at both ends: this process and that one. */
static inline uint64_t message_way(bool sends, int world)
{
	uint64_t own = (uint32_t)comms_world_rank, other = (uint32_t)world;

	return sends ? own << 32 | other : other << 32 | own;
}

/*
 * The next message to or from a partner, as an event: key, peer, check, size,
 * kind and level; the rest is 0.  False: it is not kept, the event is not set.
 */
static inline bool message_number(struct live_event *event,
				  const struct comm *comm,
				  struct partner *partner, int tag,
				  enum live_event_kind kind)
{
	struct numbers *numbers = message_numbers(partner, kind);
	uint64_t run = message_run(numbers, tag);

	numbers->next++;
	if (numbers->run != run) {
		numbers->run = run;
		numbers->level = message_level(comm->id, run);
	}
	return message_level_is_kept(numbers->level) &&
	       message_keep(event, comm, partner, tag, numbers);
}

/* In the matrix of who sent how much to whom. */
static inline void message_peer_count(struct live_peer *peer,
				      enum live_event_kind kind, uint64_t bytes,
				      uint64_t ns)
{
	if (kind == LIVE_EVENT_SEND) {
		peer->sends++;
		peer->sent += bytes;
		peer->send_ns += ns;
	} else {
		peer->receives++;
		peer->received += bytes;
		peer->receive_ns += ns;
	}
}

static inline void message_count(struct partner *partner,
				 enum live_event_kind kind, uint64_t bytes,
				 uint64_t ns)
{
	if (partner->peer || message_peer_find(partner))
		message_peer_count(partner->peer, kind, bytes, ns);
}

/*
 * Both of it, for nearly every message: one that is not kept, with a partner
 * of late, in a program whose threads do not call MPI at a time.  No function
 * is called, for which registers had to be saved.  False: it is another one,
 * and nothing was done.
 */
static inline __attribute__((always_inline)) bool
message_passes(const struct comm *comm, int rank, int tag,
	       enum live_event_kind kind, uint64_t bytes, uint64_t ns)
{
	struct partner *partner =
		comms_threads ? NULL : message_partner_recent(comm, rank, tag);
	struct numbers *numbers;

	if (!partner || !partner->peer)
		return false;
	numbers = message_numbers(partner, kind);
	if (numbers->run != message_run(numbers, tag) ||
	    message_level_is_kept(numbers->level))
		return false;
	numbers->next++;
	message_peer_count(partner->peer, kind, bytes, ns);
	return true;
}

void messages_init(void);
void messages_forked(void); /* in the child */

/* The next collective call on a communicator, in the same way. */
bool message_number_collective(struct live_event *event, struct comm *comm,
			       const char *function, int root,
			       enum live_event_kind kind);

/*
 * Something between this process and that rank of a communicator, as the event
 * of a message; both ends have given it the same number, and chose by `run`.
 */
bool message_number_pair(struct live_event *event, const struct comm *comm,
			 int rank, enum live_event_kind kind, uint64_t number,
			 uint64_t run);
