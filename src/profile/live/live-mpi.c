/* SPDX-License-Identifier: BSD-3-Clause */
/* live-mpi.c - what the MPI wrappers keep in a live profile, read. */
#include <stdlib.h>
#include <string.h>

#include "base/combine.h"
#include "base/comparison.h"
#include "live/moments.h"
#include "live/untimed.h"
#include "profile/live/live-reader.h"

static live_ref take_comm(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct live_comm c;

	memcpy(&c, at, sizeof(c));
	if (!reader_grow(r, &p->comms, p->comm_count, sizeof(*p->comms)))
		return 0;
	if (map_put(&r->comms, reader_ref(r, at), 0, (uint32_t)p->comm_count) ==
	    MAP_NONE)
		reader_no_memory(r);
	p->comms[p->comm_count++] = (struct profile_comm){
		.size = c.size,
		.rank = c.rank,
		.inter = c.inter,
		.calls = c.calls,
		.id = c.id,
		.instances = c.instances,
		.first = c.first,
		.locks = c.locks > 0 ? (uint32_t)c.locks : 0,
		.locked = c.locked,
		.name = reader_string(r, c.name),
	};
	return c.next;
}

static void read_comms(struct reader *r)
{
	reader_walk(r, r->header.comms, sizeof(struct live_comm), take_comm);
}

/* Calls */

/*
 * Polls that were passed by took what those did that were drawn to stand for
 * them; before the first was drawn, what all the others did.
 */
static uint64_t ns_of_all_calls(const struct live_call *c)
{
	uint64_t ns = c->ns;

	if (c->drawn)
		ns += untimed_part(c->passed, c->drawn_ns, c->drawn);
	else
		ns += untimed_part(c->passed, c->ns, c->calls - c->passed);
	return ns + untimed_long_ns(c);
}

/*
 * Of a call that does both, one side may be MPI_PROC_NULL, on some ranks or in
 * some calls: sums of each side do not tell how large calls are.
 */
static bool is_sendrecv(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];

	return n->kind == NODE_NAMED &&
	       strstr(p->names[n->owner].text, "endrecv");
}

static void mpi_values(struct reader *r, uint32_t node, uint32_t thread,
		       const struct live_call *c)
{
	if (is_sendrecv(r->p, node))
		reader_metric(r, node, thread, METRIC_MPI_MOVED, c->moved);
	reader_metric(r, node, thread, METRIC_MPI_CALLS, c->calls);
	reader_metric(r, node, thread, METRIC_MPI_TIME, ns_of_all_calls(c));
	reader_metric(r, node, thread, METRIC_MPI_PASSED, c->passed);
	reader_metric(r, node, thread, METRIC_MPI_SENT, c->sent);
	reader_metric(r, node, thread, METRIC_MPI_RECEIVED, c->received);
	/* 0 would be no value: another thread's minimum would stand for it. */
	if (c->calls && c->min_ns <= c->max_ns) {
		reader_metric(r, node, thread, METRIC_MPI_MIN,
			      c->min_ns ? c->min_ns : 1);
		reader_metric(r, node, thread, METRIC_MPI_MAX, c->max_ns);
	}
	reader_metric(r, node, thread, METRIC_MPI_REQUESTS, c->requests);
	reader_metric(r, node, thread, METRIC_MPI_OPEN, c->open_ns);
	reader_metric(r, node, thread, METRIC_MPI_OVERLAP, c->outside_ns);
}

static uint32_t comm_index(struct reader *r, live_ref ref)
{
	uint32_t index;

	if (!ref)
		return PROFILE_NO_COMM;
	if (ref == LIVE_SEVERAL_COMMS)
		return PROFILE_SEVERAL_COMMS;
	index = map_get(&r->comms, ref, 0);
	if (index != MAP_NONE)
		return index;
	r->damaged++;
	return PROFILE_NO_COMM;
}

/* Two threads may call from one context. */
static void read_site(struct reader *r, uint32_t node,
		      const struct live_call *c)
{
	struct profile *p = r->p;
	struct profile_site one = { node, comm_index(r, c->comm), c->root };
	uint32_t index;

	if (one.root < LIVE_SEVERAL_ROOTS)
		one.root = LIVE_NO_ROOT;
	if (!reader_grow(r, &p->sites, p->site_count, sizeof(one)))
		return;
	index = map_put(&r->calls, node, 0, (uint32_t)p->site_count);
	if (index == MAP_NONE) {
		reader_no_memory(r);
	} else if (index == p->site_count) {
		p->sites[p->site_count++] = one;
	} else {
		if (p->sites[index].comm != one.comm)
			p->sites[index].comm = PROFILE_SEVERAL_COMMS;
		if (p->sites[index].root != one.root)
			p->sites[index].root = LIVE_SEVERAL_ROOTS;
	}
}

static void read_size_class(struct reader *r, uint32_t node, uint32_t class,
			    const struct live_size *size)
{
	struct profile *p = r->p;
	uint32_t index;

	if (!reader_grow(r, &p->sizes, p->size_count, sizeof(*p->sizes)))
		return;
	index = map_put(&r->calls, node, 1 + class, (uint32_t)p->size_count);
	if (index == MAP_NONE) {
		reader_no_memory(r);
		return;
	}
	if (index == p->size_count)
		p->sizes[p->size_count++] =
			(struct profile_size){ .node = node, .class = class };
	p->sizes[index].calls += size->calls;
	p->sizes[index].ns += size->ns;
}

static void take_mpi_call(struct reader *r, uint32_t node, uint32_t thread,
			  const struct live_call *call)
{
	struct live_size sizes[LIVE_SIZES] = { 0 };
	enum live_name_class class = reader_class(r, node);
	const void *at;

	if (class == LIVE_NAME_GPU_CALL || class == LIVE_NAME_PHASE)
		return;
	if (class != LIVE_NAME_IO) {
		mpi_values(r, node, thread, call);
		read_site(r, node, call);
	}
	if (!call->sizes)
		return;
	at = reader_claim(r, call->sizes, sizeof(sizes));
	if (at)
		memcpy(sizes, at, sizeof(sizes));
	for (uint32_t i = 0; i < LIVE_SIZES && !r->err; i++)
		if (sizes[i].calls)
			read_size_class(r, node, i, &sizes[i]);
}

/* Lists and chunks of a thread */

static live_ref take_peer(struct reader *r, const void *at)
{
	struct profile *p = r->p;
	struct profile_peer *to;
	struct live_peer peer;
	uint32_t index;

	memcpy(&peer, at, sizeof(peer));
	if (!reader_grow(r, &p->peers, p->peer_count, sizeof(*to)))
		return 0;
	index = map_put(&r->peers, peer.rank, 0, (uint32_t)p->peer_count);
	if (index == MAP_NONE) {
		reader_no_memory(r);
		return 0;
	}
	if (index == p->peer_count)
		p->peers[p->peer_count++] =
			(struct profile_peer){ .rank = peer.rank };
	to = &p->peers[index];
#define COLUMN(type, name, help, how) COMBINE_##how(to->name, peer.name);
#include "live/peer.def"
#undef COLUMN
	return peer.next;
}

/* A call whose context found no room has none: it is the root's. */
static uint32_t call_context(struct reader *r, live_ref ref)
{
	return ref ? reader_node(r, ref) : 0;
}

static bool is_good_event(const struct live_event *event)
{
	return event->kind < LIVE_EVENT_KINDS && event->size &&
	       event->enter <= event->leave && event->begin <= event->leave &&
	       event->leave <= PROFILE_TIME_MOST;
}

static void take_event(struct reader *r, uint32_t thread, const void *at)
{
	struct profile *p = r->p;
	struct live_event event;

	memcpy(&event, at, sizeof(event));
	if (!is_good_event(&event)) {
		r->damaged++;
		return;
	}
	if (!reader_grow(r, &p->parts, p->part_count, sizeof(*p->parts)))
		return;
	p->parts[p->part_count++] = (struct profile_event){
		.key = event.key,
		.begin = event.begin,
		.enter = event.enter,
		.leave = event.leave,
		.begin_node = call_context(r, event.begin_node),
		.node = call_context(r, event.node),
		.thread = thread,
		.peer = event.peer,
		.check = event.check,
		.size = event.size,
		.comm_rank = event.comm_rank,
		.cluster = event.cluster,
		.kind = event.kind,
		.level = event.level,
	};
}

static void take_moment(struct reader *r, uint32_t thread, const void *at)
{
	struct profile *p = r->p;
	struct live_moment moment;

	memcpy(&moment, at, sizeof(moment));
	if (moment.ns > PROFILE_TIME_MOST) {
		r->damaged++;
		moment.ns = 0;
	}
	if (!reader_grow(r, &p->moments, p->moment_count, sizeof(*p->moments)))
		return;
	p->moments[p->moment_count++] = (struct profile_moment){
		.ns = moment.ns,
		.node = call_context(r, moment.node),
		.thread = thread,
		.weight_ns = moment.weight_ns,
	};
}

static void take_traced(struct reader *r, uint32_t thread, const void *at)
{
	struct profile *p = r->p;
	struct live_traced sample;

	memcpy(&sample, at, sizeof(sample));
	if (!reader_grow(r, &p->moments, p->moment_count, sizeof(*p->moments)))
		return;
	p->moments[p->moment_count++] = (struct profile_moment){
		.ns = sample.time,
		.node = call_context(r, sample.node),
		.thread = thread,
	};
}

static uint32_t limit_to_32_bits(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

/*
 * Those of a trace have the lowest bits of their times.  From the last one
 * back: each comes before the next, and stands for its share of the time
 * between.  One that would come before the thread began was written, and not
 * yet counted, when the process was killed.
 */
static void date_moments(struct profile *p, size_t first,
			 const struct live_thread *t)
{
	uint64_t next = t->last_ns >> LIVE_TRACED_SHIFT;
	uint64_t begin = t->first_ns >> LIVE_TRACED_SHIFT;
	size_t count = p->moment_count - first, oldest = moments_first(t);
	uint32_t every = t->every + !t->every;
	struct profile_moment *later = NULL;

	count = t->moments_held < count ? t->moments_held : count;
	for (size_t k = count; k-- > 0;) {
		size_t i = (oldest + k) % count;
		struct profile_moment *at = &p->moments[first + i];
		uint32_t back = (uint32_t)(next - at->ns);

		at->ns = 0;
		if (!moments_has(t, (uint32_t)i) || next < begin + back ||
		    next > PROFILE_TIME_MOST >> LIVE_TRACED_SHIFT)
			continue;
		next -= back;
		at->ns = next << LIVE_TRACED_SHIFT;
		at->weight_ns = limit_to_32_bits(t->wall_ns / (t->samples + 1));
		if (later)
			later->weight_ns =
				limit_to_32_bits((later->ns - at->ns) / every);
		later = at;
	}
}

/* Of the thread's records those that count: no damage, none that was moved. */
static void pick_moments(struct profile *p, size_t first,
			 const struct live_thread *t)
{
	size_t kept = first;

	for (size_t i = first; i < p->moment_count; i++)
		if (p->moments[i].ns && moments_has(t, (uint32_t)(i - first)))
			p->moments[kept++] = p->moments[i];
	p->moment_count = kept;
}

/*
 * A call that the process was killed in: until the thread's last sample,
 * without the pauses since it began.
 */
static void count_open_call(struct reader *r, const struct live_thread *t,
			    const struct profile_last_call *call)
{
	uint64_t before = (uint64_t)t->call.paused_ns;
	uint64_t paused = r->header.pauses.wall_ns, ns;

	if (!call->open || call->begin_ns >= t->last_ns ||
	    reader_class(r, call->node) != LIVE_NAME_MPI)
		return;
	ns = t->last_ns - call->begin_ns;
	paused = paused > before ? paused - before : 0;
	if (ns > paused)
		reader_metric(r, call->node, call->thread, METRIC_MPI_TIME,
			      ns - paused);
}

/* How many collective calls came before the one that is open. */
static void set_last_comm(struct reader *r, struct profile_last_call *to,
			  live_ref comm)
{
	to->comm = comm_index(r, comm);
	if (to->comm < r->p->comm_count)
		to->instance = r->p->comms[to->comm].instances;
}

static void set_last_sample(const struct profile *p, size_t first,
			    struct profile_last_call *to)
{
	for (size_t i = first; i < p->moment_count; i++)
		if (p->moments[i].ns > to->sample_ns) {
			to->sample_ns = p->moments[i].ns;
			to->sample_node = p->moments[i].node;
		}
}

/* The signal that the process died of, where the thread got it. */
static bool set_fatal(struct reader *r, struct profile_last_call *to)
{
	const struct live_fatal *from = &r->header.fatal;

	if (!from->mono_ns || from->thread != to->thread)
		return false;
	to->signal = from->signal;
	to->signal_code = from->code;
	to->signal_from = from->from;
	to->sample_ns = from->mono_ns;
	to->sample_node = call_context(r, from->node);
	return true;
}

/* Inside a call it is that call's. */
static void set_open_wait(struct reader *r, struct profile_last_call *to,
			  const struct live_thread *t)
{
	if (to->open || t->state == LIVE_THREAD_ENDED ||
	    !(t->wait.sequence % 2))
		return;
	to->wait_node = reader_node(r, t->wait.node);
	to->wait_ns = t->wait.begin_ns;
}

static void take_last_call(struct reader *r, uint32_t thread, size_t first,
			   const struct live_thread *t)
{
	const struct live_open_call *from = &t->call;
	struct profile *p = r->p;
	struct profile_last_call to = {
		.thread = thread,
		.node = call_context(r, from->node),
		.open = t->state != LIVE_THREAD_ENDED && from->sequence % 2,
		.direction = from->direction,
		.peer = from->peer,
		.tag = from->tag,
		.requests = from->requests,
		.begin_ns = from->begin_ns,
		.completed = from->completed,
		.completed_ns = from->completed_ns,
		.polls = from->polls,
	};

	set_last_sample(p, first, &to);
	if ((!set_fatal(r, &to) && !from->sequence) ||
	    from->direction > LIVE_OPEN_RECEIVE ||
	    !reader_grow(r, &p->last_calls, p->last_call_count, sizeof(to)))
		return;
	set_open_wait(r, &to, t);
	set_last_comm(r, &to, from->comm);
	count_open_call(r, t, &to);
	p->last_calls[p->last_call_count++] = to;
}

static void take_mpi_of_thread(struct reader *r, uint32_t thread,
			       const struct live_thread *t)
{
	size_t first = r->p->moment_count;

	reader_walk(r, t->peers, sizeof(struct live_peer), take_peer);
	if (t->moment_size == sizeof(struct live_traced)) {
		reader_chunks(r, t->moments, sizeof(struct live_traced), thread,
			      take_traced);
		date_moments(r->p, first, t);
	} else {
		reader_chunks(r, t->moments, sizeof(struct live_moment), thread,
			      take_moment);
	}
	pick_moments(r->p, first, t);
	take_last_call(r, thread, first, t);
	if (t->thinning & 1) {
		r->p->losses[LOSS_MOVED_PARTS].count++;
		return;
	}
	reader_chunks(r, t->parts, sizeof(struct live_event), thread,
		      take_event);
}

/* Order */

ORDER_BY(by_site_node, struct profile_site, ASC(node))

ORDER_BY(by_profile_size, struct profile_size, ASC(node) ?: ASC(class))

ORDER_BY(by_peer_rank, struct profile_peer, ASC(rank))

ORDER_BY(by_enter, struct profile_event, ASC(thread) ?: ASC(enter) ?: ASC(key))

ORDER_BY(by_trace_time, struct profile_moment,
	 ASC(thread) ?: ASC(ns) ?: ASC(node))

static void sort_mpi_table(void *at, size_t count, size_t size,
			   int (*by)(const void *, const void *))
{
	if (count)
		qsort(at, count, size, by);
}

static void order_mpi(struct reader *r)
{
	struct profile *p = r->p;

	sort_mpi_table(p->sites, p->site_count, sizeof(*p->sites),
		       by_site_node);
	sort_mpi_table(p->sizes, p->size_count, sizeof(*p->sizes),
		       by_profile_size);
	sort_mpi_table(p->peers, p->peer_count, sizeof(*p->peers),
		       by_peer_rank);
	sort_mpi_table(p->parts, p->part_count, sizeof(*p->parts), by_enter);
	sort_mpi_table(p->moments, p->moment_count, sizeof(*p->moments),
		       by_trace_time);
}

const struct live_section section_mpi = {
	.begin = read_comms,
	.call = take_mpi_call,
	.thread = take_mpi_of_thread,
	.order = order_mpi,
};
