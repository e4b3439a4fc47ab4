/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bytes.h - the words of the bytes columns of functions.tbl; what is counted
 * is said there.
 *
 * They are used after a call that succeeded, on arguments that are
 * significant on this process.  A type is looked at only when there is
 * something to count, so what MPI never reads is not read here either.
 */
#pragma once

#include "mpi/comms.h"
#include "mpi/libmpi.h"
#include "mpi/requests.h"
#include "mpi/types.h"

#include MPI_LIBRARY

static inline uint64_t bytes(MPI_Aint count, MPI_Datatype type)
{
	return count > 0 ? (uint64_t)count * type_size(type) : 0;
}

/* To or from a process that may be MPI_PROC_NULL. */
static inline uint64_t bytes_to(int peer, MPI_Aint count, MPI_Datatype type)
{
	return peer == MPI_PROC_NULL ? 0 : bytes(count, type);
}

/* The origin of an operation that may be MPI_NO_OP. */
static inline uint64_t bytes_op(MPI_Op op, int peer, MPI_Aint count,
				MPI_Datatype type)
{
	return op == pmpi.no_op ? 0 : bytes_to(peer, count, type);
}

/* A buffer that may be MPI_IN_PLACE: a block that stays where it is. */
static inline uint64_t bytes_in(const void *buffer, MPI_Aint count,
				MPI_Datatype type)
{
	return buffer == MPI_IN_PLACE ? 0 : bytes(count, type);
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

/* Arrays of counts, of both types. */
#define COUNT       int
#define ARRAY(name) name##_int
#include "mpi/arrays.h"
#undef COUNT
#undef ARRAY
#define COUNT       MPI_Count
#define ARRAY(name) name##_large
#include "mpi/arrays.h"
#undef COUNT
#undef ARRAY

#define ARRAY_OF(counts, name)                                                 \
	_Generic((counts)[0], int : name##_int, MPI_Count : name##_large)
#define bytes_sum(n, counts, type) ARRAY_OF(counts, bytes_sum)(n, counts, type)
#define bytes_sum_w(n, counts, types)                                          \
	ARRAY_OF(counts, bytes_sum_w)(n, counts, types)
#define bytes_own(counts, type, comm)                                          \
	ARRAY_OF(counts, bytes_own)(counts, type, comm)
#define bytes_v(buffer, counts, type, comm)                                    \
	ARRAY_OF(counts, bytes_v)(buffer, counts, type, comm)
#define bytes_w(buffer, counts, types, comm)                                   \
	ARRAY_OF(counts, bytes_w)(buffer, counts, types, comm)

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

static inline uint64_t keep_both(MPI_Request request, uint64_t sent,
				 uint64_t received)
{
	struct region_values *values = request_keep(request);

	values->sent = sent;
	values->received = received;
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
