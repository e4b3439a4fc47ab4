/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bytes.h - the words of the bytes columns of functions.tbl; what is counted
 * is said there.
 *
 * They are used after a call that succeeded, on arguments that are
 * significant on this process.  A type is looked at only when there is
 * something to count, so what MPI never reads is not read here either.
 */
#ifndef MPI_BYTES_H
#define MPI_BYTES_H

#include "mpi/comms.h"
#include "mpi/next.h"
#include "mpi/requests.h"
#include "mpi/types.h"

static inline uint64_t bytes(MPI_Aint count, MPI_Datatype type)
{
	return count > 0 ? (uint64_t)count * type_size(type) : 0;
}

/* To or from a process that may be MPI_PROC_NULL. */
static inline uint64_t bytes_to(int peer, int count, MPI_Datatype type)
{
	return peer == MPI_PROC_NULL ? 0 : bytes(count, type);
}

/* The origin of an operation that may be MPI_NO_OP. */
static inline uint64_t bytes_op(MPI_Op op, int peer, int count,
				MPI_Datatype type)
{
	return op == pmpi.no_op ? 0 : bytes_to(peer, count, type);
}

/* A buffer that may be MPI_IN_PLACE: a block that stays where it is. */
static inline uint64_t bytes_in(const void *buffer, int count,
				MPI_Datatype type)
{
	return buffer == MPI_IN_PLACE ? 0 : bytes(count, type);
}

/* This library is for the one MPI whose status has this member. */
static inline uint64_t status_bytes(const MPI_Status *status)
{
	return status->_ucount;
}

/*
 * The roles in a rooted collective.  Between groups the root says MPI_ROOT,
 * its group MPI_PROC_NULL, and the other group names the root's rank.
 */
static inline bool at_root(int root, MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);

	return c->inter ? root == MPI_ROOT : root == c->rank;
}

/* One whose data the root gathers or scatters: without groups, everyone. */
static inline bool at_member(int root, MPI_Comm comm)
{
	return !comm_of(comm)->inter || root >= 0;
}

static inline bool at_leaf(int root, MPI_Comm comm)
{
	return at_member(root, comm) && !at_root(root, comm);
}

/* Blocks that move, when `buffer` may be MPI_IN_PLACE. */
static inline uint64_t blocks(const void *buffer, MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);

	return (uint64_t)(c->peers - (!c->inter && buffer == MPI_IN_PLACE));
}

static inline uint64_t bytes_sum(int n, const int counts[], MPI_Datatype type)
{
	MPI_Aint sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i];
	return bytes(sum, type);
}

static inline uint64_t bytes_sum_w(int n, const int counts[],
				   const MPI_Datatype types[])
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += bytes(counts[i], types[i]);
	return sum;
}

/* The own block of an array of blocks. */
static inline uint64_t bytes_own(const int counts[], MPI_Datatype type,
				 MPI_Comm comm)
{
	return bytes(counts[comm_of(comm)->rank], type);
}

/* Blocks of different counts; the own one stays when `buffer` is in place. */
static inline uint64_t bytes_v(const void *buffer, const int counts[],
			       MPI_Datatype type, MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);
	uint64_t sum = bytes_sum(c->peers, counts, type);

	if (buffer == MPI_IN_PLACE && !c->inter)
		sum -= bytes(counts[c->rank], type);
	return sum;
}

/* Blocks of different counts and types. */
static inline uint64_t bytes_w(const void *buffer, const int counts[],
			       const MPI_Datatype types[], MPI_Comm comm)
{
	const struct comm *c = comm_of(comm);
	uint64_t sum = bytes_sum_w(c->peers, counts, types);

	if (buffer == MPI_IN_PLACE && !c->inter)
		sum -= bytes(counts[c->rank], types[c->rank]);
	return sum;
}

/* Persistent requests: nothing moves now, but at each start. */
static inline uint64_t keep_send(MPI_Request request, uint64_t sent)
{
	request_keep(request)->sent = sent;
	return 0;
}

static inline uint64_t keep_recv(MPI_Request request, uint64_t received)
{
	request_keep(request)->received = received;
	return 0;
}

static inline uint64_t kept_send(int count, const MPI_Request requests[])
{
	return request_sum(count, requests).sent;
}

static inline uint64_t kept_recv(int count, const MPI_Request requests[])
{
	return request_sum(count, requests).received;
}

#endif
