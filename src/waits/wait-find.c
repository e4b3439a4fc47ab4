/* SPDX-License-Identifier: BSD-3-Clause */
/* wait-find.c - how long each event waited, and for which other one. */
#include <stdlib.h>

#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "waits/wait-find.h"

struct wait_search {
	struct wait_state *waits;
	const struct matched_events *events;
	const struct clocks *clocks;
	const struct run *run;
	uint32_t *order; /* events, as they began … */
	uint32_t *back;  /* … and as they came back */
};

static int64_t earlier_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Part i waited until then, unless clocks say no more than that they differ. */
static void set_wait(struct wait_search *f, size_t i, size_t culprit,
		     enum wait_kind kind, int64_t until)
{
	const struct event_record *p = &f->events->at[i],
				  *c = &f->events->at[culprit];
	int64_t ns = earlier_time(until, p->leave) - p->enter;

	if (ns <= f->waits[i].ns ||
	    (double)ns <= clocks_error(f->clocks, p->process, c->process))
		return;
	f->waits[i] = (struct wait_state){ .ns = ns,
					   .culprit = (uint32_t)culprit,
					   .kind = kind };
}

/*
 * Messages.
 */

/*
 * `to` cannot go on before `from` began its event or, where that one only came
 * back into MPI during the call of `to`, before that.
 */
static void find_message(struct wait_search *f, size_t to, size_t from,
			 enum wait_kind kind)
{
	const struct event_record *p = &f->events->at[to],
				  *c = &f->events->at[from];
	int64_t error =
		(int64_t)clocks_error(f->clocks, p->process, c->process);

	if (c->begin > p->leave + error)
		return;
	if (c->enter > c->begin && c->enter > p->enter && c->enter <= p->leave)
		set_wait(f, to, from, kind, c->enter);
	else
		set_wait(f, to, from, kind, c->begin);
}

/*
 * Collective calls.
 */

/* The moment that others wait for: the beginning, or the coming back. */
static int64_t time_of_arrival(const struct event_record *p, bool back)
{
	return back ? p->enter : p->begin;
}

struct coming {
	const struct event_record *at;
	bool back;
};

static int by_time_of_arrival(const void *x, const void *y, void *coming)
{
	const struct coming *by = coming;
	const uint32_t *i = x, *j = y;
	int order = ORDER(time_of_arrival(&by->at[*i], by->back),
			  time_of_arrival(&by->at[*j], by->back));

	return order ? order : ORDER(*i, *j);
}

ORDER_ROWS_BY(by_comm_rank, struct matched_events, of->at,
	      ASC(comm_rank) ?: ORDER(*i, *j))

/* The last of an order that came before event i left, and is not i; or i. */
static uint32_t last_arrival_before(const struct wait_search *f,
				    const uint32_t *order, size_t count,
				    uint32_t i, bool back)
{
	const struct event_record *p = &f->events->at[i];
	int64_t until = p->leave;
	size_t from = 0, to = count;

	if (f->clocks->count > 1)
		until += (int64_t)(f->clocks->error_max +
				   f->clocks->error[f->clocks->of[p->process]]);
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (time_of_arrival(&f->events->at[order[middle]], back) <=
		    until)
			from = middle + 1;
		else
			to = middle;
	}
	if (from && order[from - 1] == i)
		from--;
	return from ? order[from - 1] : i;
}

/* All were begun, and those that are needed for it have come back. */
static void find_last(struct wait_search *f, uint32_t i, size_t count,
		      enum wait_kind kind)
{
	for (int back = 0; back < 2; back++) {
		const uint32_t *order = back ? f->back : f->order;
		uint32_t last = last_arrival_before(f, order, count, i, back);

		if (last != i)
			set_wait(f, i, last, kind,
				 time_of_arrival(&f->events->at[last], back));
	}
}

/* The event whose rank all of them name; `end` when there is none. */
static size_t find_root(const struct wait_search *f, size_t first, size_t end)
{
	size_t i = first;

	while (i < end && f->run->ranks[f->events->at[i].process].rank !=
				  f->events->at[i].peer)
		i++;
	return i;
}

/*
 * All wait for the root.  If the message is too large to be buffered, the root
 * waits for receivers.  Which receiver depends on MPI's algorithm: we charge
 * the last to arrive while the root was inside.
 */
static void find_broadcast(struct wait_search *f, size_t root, size_t first,
			   size_t count)
{
	for (size_t i = first; i < first + count; i++)
		if (i != root)
			find_message(f, i, root, WAIT_ONE_ALL);
	find_last(f, (uint32_t)root, count, WAIT_LATE_RECEIVER);
}

/* The root waits for the last; until the first came nothing was to be done. */
static void find_reduce(struct wait_search *f, size_t root, size_t count)
{
	const struct event_record *p = &f->events->at[root];
	struct wait_state *w = &f->waits[root];
	uint32_t first = f->order[0];

	find_last(f, (uint32_t)root, count, WAIT_ALL_ONE);
	if (first == root && count > 1)
		first = f->order[1];
	w->early = earlier_time(f->events->at[first].begin - p->enter, w->ns);
	if (w->early < 0)
		w->early = 0;
}

/* Each waits for the last of those of lower rank, if it could not leave. */
static void find_prefix(struct wait_search *f, size_t count)
{
	uint32_t last = f->order[0];

	for (size_t i = 1; i < count; i++) {
		uint32_t at = f->order[i];
		const struct event_record *p = &f->events->at[at];
		const struct event_record *c = &f->events->at[last];
		double error = clocks_error(f->clocks, p->process, c->process);

		if (c->begin <= p->leave + (int64_t)error)
			set_wait(f, at, last, WAIT_PREFIX, c->begin);
		if (p->begin > c->begin)
			last = at;
	}
}

static void sort_operation(struct wait_search *f, size_t first, size_t end)
{
	struct coming coming = { .at = f->events->at };
	size_t count = end - first;

	for (size_t i = 0; i < count; i++)
		f->order[i] = f->back[i] = (uint32_t)(first + i);
	if (f->events->at[first].kind == LIVE_EVENT_PREFIX) {
		qsort_r(f->order, count, sizeof(*f->order), by_comm_rank,
			(void *)f->events);
		return;
	}
	qsort_r(f->order, count, sizeof(*f->order), by_time_of_arrival,
		&coming);
	coming.back = true;
	qsort_r(f->back, count, sizeof(*f->back), by_time_of_arrival, &coming);
}

/* Of those in which all wait for the last. */
static const enum wait_kind wait_kind_of[] = {
	[LIVE_EVENT_BARRIER] = WAIT_BARRIER,
	[LIVE_EVENT_ALL] = WAIT_ALL,
	[LIVE_EVENT_FENCE] = WAIT_FENCE,
};

static void find_collective(struct wait_search *f, size_t first, size_t end)
{
	size_t count = end - first, root = find_root(f, first, end);
	uint32_t kind = f->events->at[first].kind;

	sort_operation(f, first, end);
	if (kind == LIVE_EVENT_PREFIX) {
		find_prefix(f, count);
	} else if (kind == LIVE_EVENT_ALL_ONE) {
		if (root < end)
			find_reduce(f, root, count);
	} else if (kind == LIVE_EVENT_ONE_ALL) {
		if (root < end)
			find_broadcast(f, root, first, count);
	} else {
		for (size_t i = first; i < end; i++)
			find_last(f, (uint32_t)i, count, wait_kind_of[kind]);
	}
}

static void find_operation(struct wait_search *f, size_t first, size_t end)
{
	if (f->events->at[first].init)
		return;
	if (f->events->at[first].kind > LIVE_EVENT_RECV) {
		find_collective(f, first, end);
		return;
	}
	/* The send is `first`, its receive the next. */
	find_message(f, first + 1, first, WAIT_LATE_SENDER);
	/* A sender that left before needed no receiver. */
	if (!f->events->at[first].one_way &&
	    f->events->at[first].leave >= f->events->at[first + 1].begin)
		find_message(f, first, first + 1, WAIT_LATE_RECEIVER);
}

/*
 * Calls that ended several events.
 */

ORDER_ROWS_BY(by_event_call, struct wait_search, of->events->at,
	      ASC(process) ?: ASC(thread) ?: ASC(enter) ?:
	      ORDER(of->waits[*j].ns, of->waits[*i].ns) ?:
	      ORDER(of->waits[*i].kind, of->waits[*j].kind) ?: ORDER(*i, *j))

static bool is_same_mpi_call(const struct event_record *a,
			     const struct event_record *b)
{
	return a->process == b->process && a->thread == b->thread &&
	       a->enter == b->enter;
}

/* The longest wait stays: the others went on meanwhile. */
static void one_wait_per_call(struct wait_search *f)
{
	const struct matched_events *events = f->events;

	for (size_t i = 0; i < events->count; i++)
		f->order[i] = (uint32_t)i;
	if (events->count)
		qsort_r(f->order, events->count, sizeof(*f->order),
			by_event_call, f);
	for (size_t i = 1, first = 0; i < events->count; i++) {
		if (is_same_mpi_call(&events->at[f->order[i]],
				     &events->at[f->order[first]]))
			f->waits[f->order[i]] =
				(struct wait_state){ .joint = true };
		else
			first = i;
	}
}

ORDER_BY(by_kept_node, struct run_kept_calls, ASC(node) ?: ASC(rank))

/* Of neighbours that are the same, one. */
static size_t join_kept(struct run_kept_calls *kept, size_t count)
{
	size_t joined = 0;

	for (size_t i = 0; i < count; i++)
		if (joined && !by_kept_node(&kept[joined - 1], &kept[i]))
			kept[joined - 1].calls += kept[i].calls;
		else
			kept[joined++] = kept[i];
	return joined;
}

/* Behind one_wait_per_call(): what wait-clip.c holds against all calls. */
static int count_kept_calls(struct run_waits *to, const struct wait_search *f)
{
	const struct matched_events *events = f->events;
	size_t count = 0;

	if (!events->level)
		return 0;
	to->kept = calloc(events->count + 1, sizeof(*to->kept));
	if (!to->kept)
		return no_memory();
	for (size_t i = 0; i < events->count; i++) {
		const struct event_record *p = &events->at[i];

		if (!f->waits[i].joint && p->level != UINT8_MAX)
			to->kept[count++] =
				(struct run_kept_calls){ p->node, p->process,
							 1 };
	}
	if (count)
		qsort(to->kept, count, sizeof(*to->kept), by_kept_node);
	to->kept_count = join_kept(to->kept, count);
	return 0;
}

int waits_find(struct run_waits *to, struct wait_state *waits,
	       const struct matched_events *events, const struct clocks *clocks,
	       const struct run *run)
{
	struct wait_search f = {
		.waits = waits, .events = events, .clocks = clocks, .run = run
	};
	int err;

	f.order = calloc(events->count + 1, sizeof(*f.order));
	f.back = calloc(events->count + 1, sizeof(*f.back));
	err = f.order && f.back ? 0 : no_memory();
	for (size_t i = 0, end; !err && i < events->count; i = end) {
		end = match_operation_end(events, i);
		find_operation(&f, i, end);
	}
	if (!err) {
		one_wait_per_call(&f);
		err = count_kept_calls(to, &f);
	}
	free(f.order);
	free(f.back);
	return err;
}
