/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run-calls.h - what is kept of a run's MPI calls beside their metrics:
 * communicators, sizes, and who exchanged how much with whom.
 */
#ifndef RUN_RUN_CALLS_H
#define RUN_RUN_CALLS_H

#include <stddef.h>
#include <stdint.h>

struct run_comm {
	uint64_t id; /* the same in all processes; 0: not known */
	uint32_t size, first, inter;
	uint32_t name;      /* string, 0: none */
	uint32_t seen;      /* by so many processes */
	uint64_t calls;     /* that named it, of all processes */
	uint64_t instances; /* collective calls on it, the most of a process */
	uint64_t world;     /* while it is merged: world_id of its processes */
};

#define RUN_NO_COMM       UINT32_MAX
#define RUN_SEVERAL_COMMS (UINT32_MAX - 1)

struct run_site { /* by node */
	uint32_t node;
	uint32_t comm;  /* index, or one of the above */
	int32_t root;   /* rank in it; -1: none, -2: several */
	uint64_t world; /* as a communicator's */
};

struct run_size {             /* by node, then class; over all ranks */
	uint32_t node, class; /* class 0: 0 bytes, n: 2^(n-1) … 2^n - 1 */
	uint64_t calls, ns;
};

struct run_peer {      /* by rank, then peer */
	uint32_t rank; /* index into run->ranks */
	uint32_t peer; /* rank in MPI_COMM_WORLD: the first of peer_block */
	uint64_t sends, sent, send_ns, receives, received, receive_ns;
};

struct run_calls {
	struct run_comm *comms;
	struct run_site *sites;
	struct run_size *sizes;
	struct run_peer *peers;
	size_t comm_count, site_count, size_count, peer_count;
	uint32_t peer_block; /* peers in one row, 1 unless they are too many */
};

void run_calls_fini(struct run_calls *calls);

/* The least size of a class. */
static inline uint64_t run_size_least(uint32_t class)
{
	return class ? (uint64_t)1 << (class - 1) : 0;
}

#endif
