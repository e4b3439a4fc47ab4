/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-events.h - the words of the column `then` of functions.tbl: what a call
 * was in the exchange between processes.  They stand in a wrapper, behind the
 * call, and see its `region` and `values`.
 */
#pragma once

#include "mpi/comms.h"
#include "mpi/epochs.h"
#include "mpi/neighbours.h"
#include "mpi/requests.h"
#include "mpi/windows.h"

/* A message went out, or has come. */
#define sent_to(dest, tag, its) event_sent(region, &values, dest, tag, its)
#define received_from(source, tag, its, status)                                \
	event_received(region, &values, source, tag, its, status)
/* The same, when it was matched, and is received later. */
#define matched(source, tag, its, status)                                      \
	event_matched(region, source, tag, its, status)
#define began_matched(request) event_began_matched(region, &values, request)
/* One that was waited for, and is received later. */
#define probed(comm, status) event_probed(region, comm, status)

/* The same, to be completed later. */
#define began_send(dest, tag, comm, request)                                   \
	event_began(region, &values, LIVE_EVENT_SEND, dest, tag, comm, request)
#define began_recv(source, tag, comm, request)                                 \
	event_began(region, &values, LIVE_EVENT_RECV, source, tag, comm,       \
		    request)
#define keeps_send(dest, tag, comm, request)                                   \
	event_keeps(LIVE_EVENT_SEND, dest, tag, comm, request)
#define keeps_recv(source, tag, comm, request)                                 \
	event_keeps(LIVE_EVENT_RECV, source, tag, comm, request)
#define keeps_other(comm, request)                                             \
	event_keeps(LIVE_EVENT_SEND, MPI_PROC_NULL, 0, comm, request)
#define started(count, requests)      event_started(region, count, requests)
#define done(count, before, statuses) event_done(region, &(before), statuses)
#define done_any(index, before, status)                                        \
	event_done_any(region, index, &(before), status)
#define done_some(count, indices, before, statuses)                            \
	event_done_some(region, count, indices, &(before), statuses)
#define cancelled(request) event_cancelled(request)

/* A collective call; kind: what follows LIVE_EVENT_. */
#define collective(kind, comm, root)                                           \
	event_collective(region, LIVE_EVENT_##kind, comm, root)
#define began_collective(kind, comm, root, request)                            \
	event_began_collective(region, LIVE_EVENT_##kind, comm, root, request)

/*
 * A call that neighbours exchange blocks in; sent, received: does anything of
 * block `block` move, as moves() says.
 */
#define exchanged(comm, sent, received)                                        \
	({                                                                     \
		struct exchange x_;                                            \
                                                                               \
		if (event_exchange_begin(&x_, region, comm)) {                 \
			int last_ = x_.all->sources, block = 0;                \
                                                                               \
			for (; block < last_; block++)                         \
				neighbour_edge_moves(x_.all, block, received); \
			for (block = 0; block < x_.all->targets; block++)      \
				neighbour_edge_moves(x_.all, last_ + block,    \
						     sent);                    \
			event_exchange(&x_, region);                           \
		}                                                              \
	})

/* A window was made; all its processes meet, for the last time at its end. */
#define made_window(win, comm) window_made(handle_key(win), comm)

#define fenced(win) event_fence(region, window_find(handle_key(win)))

#define freed_window(gone) event_window(region, LIVE_EVENT_ALL, &(gone))

/* Its epochs. */
#define posted(group, win)       epoch_posted(region, group, win)
#define access_began(group, win) epoch_started(region, group, win)
#define access_ended(win)        epoch_completed(region, win)
#define exposure_ended(win)      epoch_waited(region, win)

/* MPI_Init and MPI_Finalize, where all ranks meet as well. */
#define at_world() event_world(region)

/* A communicator was made, or got a name. */
#define made(comm)        comm_made(comm)
#define named(comm, name) comm_named(comm, name)

/* The call's event, of which each edge has a copy, and its edges. */
struct exchange {
	struct live_event event;
	struct neighbours *all;
};

/* False: it is not kept. */
bool event_exchange_begin(struct exchange *exchange,
			  const struct region *region, MPI_Comm comm);
void event_exchange(const struct exchange *exchange,
		    const struct region *region);

/* An event whose operation was one call. */
static inline void event_keep(struct live_event *event,
			      const struct region *region)
{
	event->begin = event->enter = region->start_ns;
	event->leave = region->end_ns;
	event->begin_node = event->node = region->node;
	copse_mpi_event_add(event);
}

/* In a forked child. */
void events_forked(void);

void event_sent(const struct region *region, const struct region_values *values,
		int dest, int tag, const struct comm *comm);
void event_received(const struct region *region,
		    const struct region_values *values, int source, int tag,
		    const struct comm *comm, const MPI_Status *status);
void event_matched(const struct region *region, int source, int tag,
		   const struct comm *comm, const MPI_Status *status);
void event_probed(const struct region *region, MPI_Comm comm,
		  const MPI_Status *status);
void event_began(const struct region *region,
		 const struct region_values *values, enum live_event_kind kind,
		 int rank, int tag, MPI_Comm comm, MPI_Request request);
void event_began_matched(const struct region *region,
			 const struct region_values *values,
			 MPI_Request request);
void event_keeps(enum live_event_kind kind, int rank, int tag, MPI_Comm comm,
		 MPI_Request request);
void event_started(const struct region *region, int count,
		   const MPI_Request requests[]);
/* statuses: as many, or none (MPI_STATUSES_IGNORE). */
void event_done(const struct region *region, const struct before *before,
		const MPI_Status *statuses);
void event_done_any(const struct region *region, int index,
		    const struct before *before, const MPI_Status *status);
void event_done_some(const struct region *region, int count,
		     const int indices[], const struct before *before,
		     const MPI_Status *statuses);
void event_cancelled(MPI_Request request);
void event_collective(const struct region *region, enum live_event_kind kind,
		      MPI_Comm comm, int root);
void event_began_collective(const struct region *region,
			    enum live_event_kind kind, MPI_Comm comm, int root,
			    MPI_Request request);
/* NULL: nothing is known of it. */
void event_fence(const struct region *region, struct window *window);
void event_window(const struct region *region, enum live_event_kind kind,
		  struct comm *window);
void event_world(const struct region *region);
