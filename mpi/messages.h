/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages.h - numbers messages alike at both ends, and counts them by partner.
 *
 * MPI keeps the order of messages of one sender, receiver, communicator and
 * tag.  Both ends count them, so the n-th there is the n-th here; nothing is
 * added to a message.  Tags are counted in classes of their lowest bits, since
 * some programs use a new one for each step: of a class, too, messages are
 * nearly always received in the order they were sent, and parts whose tags
 * differ are not joined.
 *
 * Threads   Any; when several call MPI at a time, messages_lock() orders them.
 */
#ifndef MPI_MESSAGES_H
#define MPI_MESSAGES_H

#include <mpi.h>

#include "collect/region.h"
#include "mpi/comms.h"

/* Messages of one direction; the level is that of a run of them. */
struct numbers {
	uint32_t next;
	uint32_t run; /* + 1, that the level was computed for */
	uint8_t level;
};

struct partner { /* a process, in a communicator, and a class of tags */
	uint64_t key;
	int world;   /* its rank in MPI_COMM_WORLD */
	bool broken; /* numbers do not agree any more */
	struct numbers sent, received;
	struct live_peer *peer;
};

void messages_lock(void);
void messages_unlock(void);

/* Never the process MPI_PROC_NULL; NULL: too many, or of another world. */
struct partner *partner_of(const struct comm *comm, int rank, int tag);

/*
 * The next message to or from a partner, as a part: key, peer, check, size,
 * kind and level; the rest is 0.  False: it is not kept, the part is not set.
 */
bool message_number(struct live_part *part, const struct comm *comm,
		    struct partner *partner, int tag, enum live_part_kind kind);

/* In the matrix of who sent how much to whom. */
void message_count(struct partner *partner, enum live_part_kind kind,
		   uint64_t bytes, uint64_t ns);

/* The next collective call on a communicator, in the same way. */
bool collective_number(struct live_part *part, struct comm *comm,
		       const char *function, int root,
		       enum live_part_kind kind);

/* Is a part of that level kept at all? */
bool level_is_kept(uint32_t level);

#endif
