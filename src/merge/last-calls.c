/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * last-calls.c - what processes did in the end; and of the communicators of
 * calls that did not return, how far each process had come.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "live/layout.h"
#include "merge/run-processes.h"
#include "run/gatherer.h"

struct last_calls {
	struct run_ends sum; /* nodes: of the unified tree; ranks: as read */
	size_t call_room, entered_room;
	bool goes_on; /* other hosts' ranks may be in calls, too */
};

static void fini_last_calls(void *state)
{
	struct last_calls *l = state;

	run_ends_fini(&l->sum);
	*l = (struct last_calls){ 0 };
}

/* When its profile was copied, it still ran. */
static bool ran_still(const struct profile *p)
{
	return !p->id.end_mono_ns && p->id.late_mono_ns;
}

static uint64_t last_known(const struct profile *p)
{
	return ran_still(p) ? p->id.late_mono_ns : process_end(p);
}

static uint64_t age_at(uint64_t end, uint64_t ns)
{
	return ns && end > ns ? end - ns : 0;
}

static bool append_last_call(struct last_calls *l,
			     const struct run_last_call *one)
{
	return array_append(&l->sum.calls, &l->sum.call_count, &l->call_room,
			    sizeof(*one), one);
}

static bool append_entered(struct last_calls *l, const struct run_entered *one)
{
	return array_append(&l->sum.entered, &l->sum.entered_count,
			    &l->entered_room, sizeof(*one), one);
}

static bool add_last_call(struct last_calls *l, const struct gathered *one,
			  const struct profile_last_call *from)
{
	const struct profile *p = one->profile;
	uint64_t end = last_known(p);
	struct run_last_call to = {
		.rank = one->process,
		.tid = p->threads[from->thread].tid,
		.node = one->nodes[from->node],
		.open = from->open,
		.comm = from->comm < p->comm_count ? p->comms[from->comm].id
						   : 0,
		.instance = from->instance,
		.direction = from->direction,
		.peer = from->peer,
		.tag = from->tag,
		.requests = from->requests,
		.polls = from->polls,
		.completed = from->completed,
		.begin_age_ns = age_at(end, from->begin_ns),
		.completed_age_ns = age_at(end, from->completed_ns),
		.sample_node = one->nodes[from->sample_node],
		.sample_age_ns = age_at(end, from->sample_ns),
		.signal = from->signal,
		.signal_code = from->signal_code,
		.signal_from = from->signal_from,
		.wait_node = one->nodes[from->wait_node],
		.wait_age_ns = age_at(end, from->wait_ns),
		.unfinished = from->unfinished,
		.unfinished_node = one->nodes[from->unfinished_node],
	};

	return append_last_call(l, &to);
}

/* What has not ended then has no record. */
static bool has_succeeded(const struct profile *p)
{
	return p->id.end == END_EXIT && !p->id.end_code;
}

/* A communicator of devices, and the call there that has not ended. */
static bool add_communicator(struct last_calls *l, const struct gathered *one,
			     const struct profile_communicator *from)
{
	const struct run_entered entered = {
		.comm = from->id,
		.rank = one->process,
		.instances = from->announced,
		.size = from->size,
		.locked = -1,
	};
	uint64_t age = age_at(last_known(one->profile), from->launched);
	const struct run_last_call call = {
		.rank = one->process,
		.node = one->nodes[from->node],
		.device = 1,
		.bytes = from->bytes,
		.open = 1,
		.comm = from->id,
		.instance = from->ended,
		.direction = LIVE_OPEN_CALL,
		.peer = LIVE_OPEN_NONE,
		.completed = from->ended,
		.begin_age_ns = age,
		.completed_age_ns = age,
		.sample_node = one->nodes[from->node],
		.sample_age_ns = age,
	};

	return append_entered(l, &entered) &&
	       (!from->node || has_succeeded(one->profile) ||
		append_last_call(l, &call));
}

static bool add_entered(struct last_calls *l, const struct gathered *one,
			const struct profile_comm *from)
{
	struct run_entered to = {
		.comm = from->id,
		.rank = one->process,
		.instances = from->instances,
		.size = from->size,
		.locks = from->locks,
		.locked = from->locked,
	};

	return !from->id || from->inter || append_entered(l, &to);
}

static int add_last_calls(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	bool ok = true;

	((struct last_calls *)state)->goes_on |= ran_still(p);
	for (size_t i = 0; i < p->last_call_count && ok; i++)
		ok = add_last_call(state, one, &p->last_calls[i]);
	for (size_t i = 0; i < p->comm_count && ok; i++)
		ok = add_entered(state, one, &p->comms[i]);
	for (size_t i = 0; i < p->communicator_count && ok; i++)
		ok = add_communicator(state, one, &p->communicators[i]);
	return ok ? 0 : no_memory();
}

static void want_last_calls(const void *state, bool *wanted)
{
	const struct last_calls *l = state;

	for (size_t i = 0; i < l->sum.call_count; i++) {
		wanted[l->sum.calls[i].node] = true;
		wanted[l->sum.calls[i].sample_node] = true;
		wanted[l->sum.calls[i].unfinished_node] = true;
		wanted[l->sum.calls[i].wait_node] = true;
	}
}

ORDER_BY(by_last_call, struct run_last_call, ASC(rank) ?: ASC(tid))

ORDER_BY(by_entered, struct run_entered, ASC(comm) ?: ASC(rank))

/* Somebody is in a call on it, or polls for one. */
static bool is_waited_on(const struct run_last_call *call)
{
	return call->comm && (call->open || call->polls);
}

ORDER_BY(by_last_comm, struct run_last_call, ASC(comm))

/* Those of communicators that nobody waits on. */
static void drop_entered(struct run_ends *ends)
{
	size_t kept = 0, at = 0;

	qsort(ends->calls, ends->call_count, sizeof(*ends->calls),
	      by_last_comm);
	for (size_t i = 0; i < ends->entered_count; i++) {
		const struct run_entered *e = &ends->entered[i];

		while (at < ends->call_count &&
		       (ends->calls[at].comm < e->comm ||
			(ends->calls[at].comm == e->comm &&
			 !is_waited_on(&ends->calls[at]))))
			at++;
		if (at < ends->call_count && ends->calls[at].comm == e->comm)
			ends->entered[kept++] = *e;
	}
	ends->entered_count = kept;
}

static int finish_last_calls(void *state, struct run *run,
			     const uint32_t *order, const uint32_t *became)
{
	struct last_calls *l = state;
	struct run_ends *to = &run->ends;
	bool goes_on = l->goes_on;

	*to = l->sum;
	*l = (struct last_calls){ 0 };
	for (size_t i = 0; i < to->call_count; i++) {
		struct run_last_call *call = &to->calls[i];

		call->rank = order[call->rank];
		call->node = became[call->node];
		call->sample_node = became[call->sample_node];
		call->unfinished_node = became[call->unfinished_node];
		call->wait_node = became[call->wait_node];
	}
	for (size_t i = 0; i < to->entered_count; i++)
		to->entered[i].rank = order[to->entered[i].rank];
	if (!to->call_count) {
		run_ends_fini(to);
		return 0;
	}
	if (to->entered_count)
		qsort(to->entered, to->entered_count, sizeof(*to->entered),
		      by_entered);
	if (!goes_on && !run->part)
		drop_entered(to);
	qsort(to->calls, to->call_count, sizeof(*to->calls), by_last_call);
	return 0;
}

const struct gatherer gatherer_last_calls = {
	.size = sizeof(struct last_calls),
	.fini = fini_last_calls,
	.add = add_last_calls,
	.wanted = want_last_calls,
	.finish = finish_last_calls,
};
