/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests.h - what is known of requests that are open: from the call that
 * began them to the one that completes them.
 *
 * Ownership   A struct mpi_request is valid until it is forgotten.
 * Threads     Any, one at a time for one request, as MPI has it; when several
 *             call MPI, messages_lock() is taken inside.
 */
#pragma once

#include <mpi.h>

#include "collect/regions/region.h"

struct partner;

struct mpi_request {
	struct live_event event; /* of kind, without enter, leave and node */
	bool has_event;          /* else it is only timed */
	bool open;               /* it was begun: */
	bool cancelled;
	bool any;               /* a receive from any source or with any tag */
	struct live_call *call; /* that began it */
	uint32_t thread;
	uint64_t mpi_ns;         /* of that thread, then */
	int64_t paused_ns;       /* of the process, then */
	struct partner *partner; /* NULL: not known yet */
	uint32_t given;          /* its number of receives, with this */
	MPI_Comm comm;           /* for `any`: with this id, then */
	uint64_t comm_id;
	/* A persistent one: what each start moves, and where to. */
	bool persistent;
	struct region_values moves;
	enum live_event_kind kind;
	int rank, tag;
	/* Calls that may complete it; and its handle is another's by now. */
	uint32_t held;
	bool replaced;
};

/* A record for a new persistent request; never NULL. */
struct region_values *request_keep(MPI_Request handle);

/* A new record for a request, in place of an old one; NULL: too many. */
struct mpi_request *request_new(MPI_Request handle);
struct mpi_request *request_find(MPI_Request handle);

/* One that is not open, of nothing yet; its event is not set. */
void request_reset(struct mpi_request *request);
void request_forget(MPI_Request handle);

/*
 * One that `before` holds is complete: its handle is forgotten, if no thread
 * has been given the same for a new one meanwhile.
 */
void request_done(MPI_Request handle, const struct mpi_request *request);

/* In a forked child: none is followed any more. */
void requests_forked(void);

/* What the starts of persistent requests move. */
struct region_values request_sum(int count, const MPI_Request requests[]);

/*
 * Requests as they are before a call that may complete them, and statuses for
 * receives, if the program wants none.  Their records stay until
 * requests_give(), for MPI may give a handle to another thread as soon as its
 * request is complete.
 */
struct before {
	MPI_Request here[16];
	struct mpi_request *known_here[16];
	MPI_Status statuses_here[16];
	MPI_Request *requests;
	struct mpi_request **known; /* of these; NULL: not followed */
	MPI_Status *statuses;       /* NULL: the program's, if any */
	int count;
};
void requests_take(struct before *before, const struct region *region,
		   int count, const MPI_Request requests[],
		   MPI_Status **statuses);
/* Ends its use; after a failed call, what has completed is forgotten. */
void requests_end(struct before *before, bool success,
		  const MPI_Request requests[]);

/* The same, where there may be nothing to do. */
static inline void requests_give(struct before *before, bool success,
				 const MPI_Request requests[])
{
	if (before->count)
		requests_end(before, success, requests);
}
