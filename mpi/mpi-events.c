/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-events.c - calls become event records of operations. */
#include "mpi/mpi-events.h"

#include "base/sys.h"
#include "base/hash.h"
#include "mpi/deferred-receives.h"
#include "mpi/messages.h"
#include "mpi/libmpi.h"

#include MPI_LIBRARY

/*
 * What this thread was waiting for in MPI_Probe.  By a pointer: thread-local
 * room is short where all adapters are preloaded (thread-storage.md).
 */
struct mpi_probe {
	uint64_t comm_id; /* 0: nothing */
	int source, tag;
	uint64_t enter, leave;
	live_ref node;
};
static __thread struct mpi_probe *probe
	__attribute__((tls_model("initial-exec")));

void events_forked(void)
{
	if (probe)
		probe->comm_id = 0;
}

/* A message that is one call; false: its event is not kept. */
static inline __attribute__((always_inline)) bool
count_message(struct live_event *event, const struct comm *comm, int rank,
	      int tag, enum live_event_kind kind, uint64_t bytes,
	      const struct region *region)
{
	struct partner *partner;
	bool kept = false;

	messages_lock();
	partner = message_partner_of(comm, rank, tag);
	if (partner) {
		kept = message_number(event, comm, partner, tag, kind);
		message_count(partner, kind, bytes, region->ns);
	}
	messages_unlock();
	return kept;
}

static __attribute__((noinline)) void
other_sent(const struct region *region, const struct region_values *values,
	   int dest, int tag, const struct comm *comm)
{
	struct live_event event;

	if (count_message(&event, comm, dest, tag, LIVE_EVENT_SEND,
			  values->sent, region))
		event_keep(&event, region);
}

void event_sent(const struct region *region, const struct region_values *values,
		int dest, int tag, const struct comm *comm)
{
	if (dest >= 0 && !message_passes(comm, dest, tag, LIVE_EVENT_SEND,
					 values->sent, region->ns))
		other_sent(region, values, dest, tag, comm);
}

/* Was it waited for in MPI_Probe? */
static bool take_probe(struct live_event *event, const struct comm *comm,
		       int source, int tag)
{
	bool is_it = probe->comm_id == comm->id && probe->source == source &&
		     probe->tag == tag;

	if (probe->comm_id && is_it) {
		event->begin = event->enter = probe->enter;
		event->leave = probe->leave;
		event->begin_node = event->node = probe->node;
		copse_mpi_event_add(event);
	}
	probe->comm_id = 0;
	return is_it;
}

static __attribute__((noinline)) void
other_received(const struct region *region, const struct region_values *values,
	       int source, int tag, const struct comm *comm)
{
	struct live_event event;

	if (!count_message(&event, comm, source, tag, LIVE_EVENT_RECV,
			   values->received, region))
		return;
	if (!probe || !probe->comm_id || !take_probe(&event, comm, source, tag))
		event_keep(&event, region);
}

void event_received(const struct region *region,
		    const struct region_values *values, int source, int tag,
		    const struct comm *comm, const MPI_Status *status)
{
	if (source == MPI_ANY_SOURCE)
		source = status->MPI_SOURCE;
	if (tag == MPI_ANY_TAG)
		tag = status->MPI_TAG;
	if (source >= 0 && !message_passes(comm, source, tag, LIVE_EVENT_RECV,
					   values->received, region->ns))
		other_received(region, values, source, tag, comm);
}

/* It is received by whoever has its handle, who knows no communicator. */
void event_matched(const struct region *region, int source, int tag,
		   const struct comm *comm, const MPI_Status *status)
{
	const struct region_values values = { .received =
						      status_bytes(status) };

	event_received(region, &values, source, tag, comm, status);
}

void event_probed(const struct region *region, MPI_Comm handle,
		  const MPI_Status *status)
{
	if (!probe)
		probe = sys_memory(sizeof(*probe));
	if (!probe)
		return;
	probe->comm_id = comm_of(handle)->id;
	probe->source = status->MPI_SOURCE;
	probe->tag = status->MPI_TAG;
	probe->enter = region->start_ns;
	probe->leave = region->end_ns;
	probe->node = region->node;
}

/* The request is open from now on. */
static void open_request(struct mpi_request *r, const struct region *region)
{
	r->open = true;
	r->cancelled = false;
	r->call = region->call;
	r->thread = region->thread;
	r->mpi_ns = region->mpi_ns;
	r->paused_ns = region->paused_ns;
	r->event.begin = region->start_ns;
	r->event.begin_node = region->node;
}

/* The request's message has a partner, and a number. */
static void number_message(struct mpi_request *r, const struct comm *comm,
			   int rank, int tag)
{
	messages_lock();
	r->partner = message_partner_of(comm, rank, tag);
	if (r->partner) {
		r->has_event = message_number(&r->event, comm, r->partner, tag,
					      r->kind);
		r->given = r->partner->received.next;
	}
	messages_unlock();
}

/* A message, numbered now or, from anywhere, when it has come. */
static void begin_message(struct mpi_request *r, const struct comm *comm)
{
	r->any = r->rank == MPI_ANY_SOURCE || r->tag == MPI_ANY_TAG;
	r->partner = NULL;
	r->has_event = false;
	if (r->rank >= 0 && !r->any)
		number_message(r, comm, r->rank, r->tag);
}

/* Receives are counted in the matrix when they are complete. */
static void count_send(const struct mpi_request *r, uint64_t bytes,
		       const struct region *region)
{
	if (!r->partner || r->kind != LIVE_EVENT_SEND)
		return;
	messages_lock();
	message_count(r->partner, LIVE_EVENT_SEND, bytes, region->ns);
	messages_unlock();
}

static void set_message(struct mpi_request *r, enum live_event_kind kind,
			int rank, int tag, MPI_Comm comm,
			const struct comm *its)
{
	r->kind = kind;
	r->rank = rank;
	r->tag = tag;
	r->comm = comm;
	r->comm_id = its->id;
}

static void complete_request(struct mpi_request *r, const struct region *region,
			     const MPI_Status *status);

void event_began(const struct region *region,
		 const struct region_values *values, enum live_event_kind kind,
		 int rank, int tag, MPI_Comm comm, MPI_Request handle)
{
	bool at_once = mpi_request_is_complete(handle);
	const struct comm *its = comm_of(comm);
	struct mpi_request own, *r = at_once ? &own : request_new(handle);

	if (!r)
		return;
	if (at_once)
		request_reset(r);
	set_message(r, kind, rank, tag, comm, its);
	r->moves = *values;
	begin_message(r, its);
	count_send(r, values->sent, region);
	open_request(r, region);
	if (at_once && !r->any)
		complete_request(r, region, NULL);
}

void event_began_matched(const struct region *region,
			 const struct region_values *values, MPI_Request handle)
{
	struct mpi_request *r;

	if (mpi_request_is_complete(handle)) { /* of MPI_MESSAGE_NO_PROC */
		copse_region_arrived(region->call, values->received, 0, 1);
		return;
	}
	r = request_new(handle);
	if (!r)
		return;
	r->kind = LIVE_EVENT_RECV;
	r->rank = MPI_UNDEFINED;
	r->moves = *values;
	open_request(r, region);
}

void event_keeps(enum live_event_kind kind, int rank, int tag, MPI_Comm comm,
		 MPI_Request handle)
{
	struct mpi_request *r = request_find(handle);

	if (r)
		set_message(r, kind, rank, tag, comm, comm_of(comm));
}

void event_started(const struct region *region, int count,
		   const MPI_Request handles[])
{
	for (int i = 0; i < count; i++) {
		struct mpi_request *r = request_find(handles[i]);
		const struct comm *comm;

		if (!r || !r->persistent)
			continue;
		comm = comm_find(r->comm);
		if (comm && comm->id == r->comm_id)
			begin_message(r, comm);
		count_send(r, r->moves.sent, region);
		open_request(r, region);
	}
}

/* Where a message from anywhere came from; false: it cannot be told. */
static bool find_partner(struct mpi_request *r, const MPI_Status *status)
{
	const struct comm *comm;

	if (!status || status == MPI_STATUS_IGNORE || status->MPI_SOURCE < 0)
		return false;
	comm = comm_find(r->comm);
	if (!comm || comm->id != r->comm_id)
		return false;
	number_message(r, comm, status->MPI_SOURCE, status->MPI_TAG);
	return r->partner;
}

/*
 * The number of a receive that was cancelled is free again, if no other was
 * given since; else the numbers of this partner are not those of the other end
 * any more.
 */
static void take_back(struct mpi_request *r)
{
	if (!r->partner)
		return;
	messages_lock();
	if (r->kind == LIVE_EVENT_RECV && r->partner->received.next == r->given)
		r->partner->received.next--;
	else
		r->partner->broken = true;
	messages_unlock();
}

static bool was_cancelled(const struct mpi_request *r, const MPI_Status *status)
{
	int flag = 0;

	if (r->cancelled && status && status != MPI_STATUS_IGNORE)
		pmpi.Test_cancelled(status, &flag);
	return flag;
}

static uint64_t less_or_zero(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/* Since the request was begun. */
static uint64_t request_paused(const struct mpi_request *r,
			       const struct region *region)
{
	return (uint64_t)(region->paused_ns - r->paused_ns) + region->end_ns -
	       region->start_ns - region->ns;
}

static void count_life(const struct mpi_request *r, const struct region *region)
{
	uint64_t open = less_or_zero(region->end_ns, r->event.begin);
	uint64_t inside = region->mpi_ns - r->mpi_ns;

	if (!r->call || r->thread != region->thread ||
	    region->end_ns < r->event.begin)
		return;
	open = less_or_zero(open, request_paused(r, region));
	copse_region_request(r->call, open, less_or_zero(open, inside));
}

static void add_event_record(struct mpi_request *r, const struct region *region)
{
	if (!r->has_event)
		return;
	r->event.enter = region->start_ns;
	r->event.leave = region->end_ns;
	r->event.node = region->node;
	copse_mpi_event_add(&r->event);
}

/* Another thread's records are not ours to change now. */
static void came_short(const struct mpi_request *r, const struct region *region,
		       uint64_t bytes)
{
	if (!r->call)
		return;
	if (r->thread == region->thread)
		copse_region_arrived(r->call, r->moves.received, bytes, 1);
	else
		receives_arrived(r->call, r->moves.received, bytes);
}

/*
 * What a receive has brought; its buffer may have had room for more, which was
 * counted when it began.
 */
static uint64_t bytes_arrived(const struct mpi_request *r,
			      const struct region *region,
			      const MPI_Status *status, bool cancelled)
{
	uint64_t posted = r->moves.received, bytes;

	if (r->kind != LIVE_EVENT_RECV || !status ||
	    status == MPI_STATUS_IGNORE || r->rank == MPI_PROC_NULL)
		return posted;
	bytes = cancelled ? 0 : status_bytes(status);
	if (bytes < posted)
		came_short(r, region, bytes);
	return bytes;
}

static void complete_request(struct mpi_request *r, const struct region *region,
			     const MPI_Status *status)
{
	uint64_t begin = r->event.begin, bytes;
	live_ref node = r->event.begin_node;
	bool cancelled = was_cancelled(r, status);

	count_life(r, region);
	r->open = false;
	bytes = bytes_arrived(r, region, status, cancelled);
	if (cancelled) {
		take_back(r);
		return;
	}
	if (r->any && find_partner(r, status)) {
		r->event.begin = begin; /* numbered only now */
		r->event.begin_node = node;
	}
	if (r->partner && r->kind == LIVE_EVENT_RECV) {
		messages_lock();
		message_count(r->partner, LIVE_EVENT_RECV, bytes, 0);
		messages_unlock();
	}
	add_event_record(r, region);
}

static void event_done_one(const struct region *region,
			   const struct before *before, int i,
			   const MPI_Status *status)
{
	struct mpi_request *r = before->known[i];

	if (!r || !r->open)
		return;
	complete_request(r, region, status);
	if (!r->persistent)
		request_done(before->requests[i], r);
}

static const MPI_Status *status_at(const MPI_Status *statuses, int i)
{
	return !statuses || statuses == MPI_STATUSES_IGNORE ? NULL
							    : &statuses[i];
}

void event_done(const struct region *region, const struct before *before,
		const MPI_Status *statuses)
{
	for (int i = 0; i < before->count; i++)
		event_done_one(region, before, i, status_at(statuses, i));
}

void event_done_any(const struct region *region, int index,
		    const struct before *before, const MPI_Status *status)
{
	/* None, MPI_UNDEFINED, is negative. */
	if (index >= 0 && index < before->count)
		event_done_one(region, before, index, status);
}

void event_done_some(const struct region *region, int count,
		     const int indices[], const struct before *before,
		     const MPI_Status *statuses)
{
	for (int i = 0; i < count; i++)
		if (indices[i] < before->count)
			event_done_one(region, before, indices[i],
				       status_at(statuses, i));
}

void event_cancelled(MPI_Request handle)
{
	struct mpi_request *r = request_find(handle);

	if (r)
		r->cancelled = true;
}

void event_collective(const struct region *region, enum live_event_kind kind,
		      MPI_Comm handle, int root)
{
	struct live_event event = { 0 };

	if (message_number_collective(&event, comm_of(handle),
				      region->name->text, root, kind))
		event_keep(&event, region);
}

void event_window(const struct region *region, enum live_event_kind kind,
		  struct comm *window)
{
	struct live_event event = { 0 };

	if (message_number_collective(&event, window, region->name->text, -1,
				      kind))
		event_keep(&event, region);
}

void event_fence(const struct region *region, struct window *window)
{
	if (window)
		event_window(region, LIVE_EVENT_FENCE, &window->as);
}

bool event_exchange_begin(struct exchange *x, const struct region *region,
			  MPI_Comm handle)
{
	struct comm *comm = comm_of(handle);

	x->event = (struct live_event){ 0 };
	if (!message_number_collective(&x->event, comm, region->name->text, -1,
				       LIVE_EVENT_SEND))
		return false;
	x->all = neighbours_of(comm, handle);
	return x->all;
}

/* Edges from … to - 1 of a call are messages by its number. */
static void keep_edges(const struct exchange *x, const struct region *region,
		       int from, int to, enum live_event_kind kind)
{
	for (int i = from; i < to; i++) {
		int world = x->all->edges[i].world;
		struct live_event event = x->event;

		if (!x->all->edges[i].moves || world < 0)
			continue;
		event.kind = (uint8_t)kind;
		event.size = 2;
		event.peer = world;
		event.key = hash_pair(
			event.key, message_way(kind == LIVE_EVENT_SEND, world));
		event_keep(&event, region);
	}
}

void event_exchange(const struct exchange *x, const struct region *region)
{
	int sources = x->all->sources;

	keep_edges(x, region, 0, sources, LIVE_EVENT_RECV);
	keep_edges(x, region, sources, sources + x->all->targets,
		   LIVE_EVENT_SEND);
}

void event_began_collective(const struct region *region,
			    enum live_event_kind kind, MPI_Comm comm, int root,
			    MPI_Request handle)
{
	struct mpi_request own = { 0 };
	struct mpi_request *r;

	own.has_event = message_number_collective(
		&own.event, comm_of(comm), region->name->text, root, kind);
	own.kind = kind;
	own.rank = MPI_PROC_NULL;
	own.comm = comm;
	own.comm_id = comm_of(comm)->id;
	open_request(&own, region);
	r = mpi_request_is_complete(handle) ? NULL : request_new(handle);
	if (r)
		*r = own;
	else
		complete_request(&own, region, NULL);
}

void event_world(const struct region *region)
{
	struct live_event event = { 0 };
	struct comm *world;
	uint64_t numbered;

	if (!comm_find(pmpi.world)) /* and MPI cannot be asked any more */
		return;
	world = comm_of(pmpi.world);
	numbered = world->instances;
	if (message_number_collective(&event, world, region->name->text, -1,
				      LIVE_EVENT_BARRIER)) {
		event.key = hash_pair(event.check, world->id);
		event.level = UINT8_MAX;
		event_keep(&event, region);
	}
	world->instances = numbered;
	if (world->live)
		world->live->instances = numbered;
}
