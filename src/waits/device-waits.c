/* SPDX-License-Identifier: BSD-3-Clause */
/* device-waits.c - see device-waits.h. */
#include "waits/device-waits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"

#define MOST         (DEVICE_RECORDS / sizeof(struct device_record))
#define MS           1e6
#define MAINLY_SLEPT 0.25 /* of the time: there are no samples for more */

struct device_record { /* the kernel of one rank */
	uint64_t key, bytes, busy_ns;
	int64_t launched, start, end; /* of the process's clock, then aligned */
	uint32_t process, thread, device, node, busy_node;
	uint32_t comm, size, comm_rank, function, level;
	uint32_t parts; /* messages of the kernel; a collective call is one */
};

/* An end of a message that both ends have, and the other one. */
struct message_end {
	const struct device_record *own, *other;
};

struct device_waits {
	struct device_record *at;
	size_t count, room;
	uint32_t level;
};

/* While it is summed up. */
struct device_sums {
	struct run *run;
	const struct matched_events *events;
	const struct clocks *clocks;
	struct map rows, waits;
	struct map comms; /* to their place in sizes[] */
	uint32_t *sizes;
	struct map devices; /* (process, its number) to row of gpu/devices */
	size_t row_room, wait_room;
	double weight; /* calls that one stands for */
	struct message_end *ends;
	size_t end_count, end_room;
	bool failed;
};

/*
 * Gathering.
 */

static void fini_device_waits(void *state)
{
	struct device_waits *w = state;

	free(w->at);
	*w = (struct device_waits){ 0 };
}

static void raise_device_level(struct device_waits *w, uint32_t level)
{
	size_t kept = 0;

	if (level <= w->level)
		return;
	w->level = level;
	for (size_t i = 0; i < w->count; i++)
		if (w->at[i].level >= level)
			w->at[kept++] = w->at[i];
	w->count = kept;
}

static bool put_device_record(struct device_waits *w,
			      const struct device_record *one)
{
	while (w->count >= MOST && w->level < 64)
		raise_device_level(w, w->level + 1);
	return one->level < w->level ||
	       array_append(&w->at, &w->count, &w->room, sizeof(*one), one);
}

static int add_device_records(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	bool ok = true;

	if (p->collective_count)
		raise_device_level(state, p->collectives->kept);
	for (size_t i = 0; i < p->collective_count && ok; i++) {
		const struct profile_collective *c = &p->collectives[i];
		struct device_record r = {
			.key = c->key,
			.bytes = c->bytes,
			.busy_ns = c->busy_ns,
			.launched = (int64_t)c->launched,
			.start = (int64_t)c->start,
			.end = (int64_t)c->end,
			.process = one->process,
			.thread = c->thread,
			.device = c->device,
			.node = one->nodes[c->node],
			.busy_node = one->nodes[c->busy_node],
			.comm = c->comm,
			.size = c->size,
			.comm_rank = c->comm_rank,
			.function = c->function,
			.level = c->level,
			.parts = c->parts ? c->parts : 1,
		};

		ok = put_device_record(state, &r);
	}
	return ok ? 0 : no_memory();
}

static void want_device_nodes(const void *state, bool *wanted)
{
	const struct device_waits *w = state;

	for (size_t i = 0; i < w->count; i++)
		wanted[w->at[i].node] = wanted[w->at[i].busy_node] = true;
}

static int finish_device_records(void *state, struct run *run,
				 const uint32_t *order, const uint32_t *became)
{
	struct device_waits *w = state;

	(void)run;
	for (size_t i = 0; i < w->count; i++) {
		w->at[i].process = order[w->at[i].process];
		w->at[i].node = became[w->at[i].node];
		w->at[i].busy_node = became[w->at[i].busy_node];
	}
	return 0;
}

const struct gatherer gatherer_device_waits = {
	.size = sizeof(struct device_waits),
	.fini = fini_device_waits,
	.add = add_device_records,
	.wanted = want_device_nodes,
	.finish = finish_device_records,
};

/*
 * Sums.
 */

static struct run_device_rank *device_rank(struct device_sums *s,
					   uint32_t process)
{
	return &s->run->collectives.ranks[process];
}

/*
 * What goes over each rank's link, whatever the algorithm: the "bus bandwidth"
 * of nccl-tests, doc/PERFORMANCE.md.
 */
static double bytes_on_bus(const struct device_record *r, uint32_t size)
{
	double bytes = (double)r->bytes, others = size - 1;

	switch (r->function) {
	case LIVE_COLLECTIVE_ALL_REDUCE:
		return 2 * bytes * others / size;
	case LIVE_COLLECTIVE_ALL_GATHER:
	case LIVE_COLLECTIVE_REDUCE_SCATTER:
	case LIVE_COLLECTIVE_ALL_TO_ALL:
		return bytes * others; /* they count the part of one rank */
	default:
		return bytes;
	}
}

static void find_devices(struct device_sums *s)
{
	const struct run_gpu *g = &s->run->gpu;

	for (size_t i = 0; i < g->share_count; i++)
		s->failed |=
			map_put(&s->devices, g->shares[i].rank, g->shares[i].id,
				g->shares[i].device) == MAP_NONE;
}

static void add_device_time(struct device_sums *s,
			    const struct device_record *r, int64_t waited)
{
	uint32_t at = map_get(&s->devices, r->process, r->device);
	struct run_device *to;

	if (at == MAP_NONE)
		return;
	to = &s->run->gpu.devices[at];
	to->collective_ns += s->weight * (double)(r->end - r->start);
	to->waiting_ns += s->weight * (double)waited;
}

static void add_collective(struct device_sums *s, const struct device_record *r,
			   uint32_t size, int64_t waited)
{
	struct run_collectives *to = &s->run->collectives;
	struct run_collective new = { .node = r->node,
				      .comm = r->comm,
				      .size = size,
				      .function = r->function };
	uint32_t at = map_put(&s->rows, (uint64_t)r->node << 32 | r->comm,
			      r->function, (uint32_t)to->row_count);

	if (at == MAP_NONE ||
	    (at == to->row_count &&
	     !array_append(&to->rows, &to->row_count, &s->row_room, sizeof(new),
			   &new))) {
		s->failed = true;
		return;
	}
	to->rows[at].count += s->weight;
	to->rows[at].ns += s->weight * (double)(r->end - r->start);
	to->rows[at].waited_ns += s->weight * (double)waited;
	to->rows[at].bus_bytes += s->weight * bytes_on_bus(r, size);
	device_rank(s, r->process)->ns +=
		s->weight * (double)(r->end - r->start);
	device_rank(s, r->process)->waited_ns += s->weight * (double)waited;
	add_device_time(s, r, waited);
}

static void add_device_wait(struct device_sums *s, uint32_t node,
			    uint32_t culprit, bool busy, uint32_t context,
			    double ns)
{
	struct run_collectives *to = &s->run->collectives;
	struct run_device_wait new = { .node = node,
				       .culprit = culprit,
				       .busy = busy,
				       .context = context };
	uint32_t at = map_put(&s->waits, (uint64_t)node << 32 | culprit,
			      (uint64_t)busy << 32 | context,
			      (uint32_t)to->wait_count);

	if (ns <= 0 || s->failed)
		return;
	if (at == MAP_NONE ||
	    (at == to->wait_count &&
	     !array_append(&to->waits, &to->wait_count, &s->wait_room,
			   sizeof(new), &new))) {
		s->failed = true;
		return;
	}
	to->waits[at].ns += s->weight * ns;
}

/* The points of a series from `from` to `to`. */
struct points {
	const struct trace_point *at;
	size_t count;
	double each; /* CPU time that each stands for */
};

static size_t points_until(const struct series *of, int64_t ns)
{
	size_t first = 0;

	for (size_t end = of->count; first < end;) {
		size_t middle = first + (end - first) / 2;

		if (of->at[middle].ns <= ns)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static struct points points_between(const struct series *of, int64_t from,
				    int64_t to)
{
	size_t first = points_until(of, from);

	return (struct points){
		.at = of->at + first,
		.count = points_until(of, to) - first,
		.each = of->every * (of->period_ns > 0 ? of->period_ns : MS),
	};
}

/* The series of all threads of a process. */
static const struct series *
series_of_process(const struct matched_events *events, uint32_t process,
		  size_t *count)
{
	size_t first = 0, end = events->series_count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (events->series[middle].process < process)
			first = middle + 1;
		else
			end = middle;
	}
	for (end = first; end < events->series_count &&
			  events->series[end].process == process;)
		end++;
	*count = end - first;
	return events->series + first;
}

static double weight_between(const struct series *of, size_t count,
			     int64_t from, int64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		struct points p = points_between(&of[i], from, to);

		sum += (double)p.count * p.each;
	}
	return sum;
}

/*
 * Where the host of the late kernel was before it launched: the samples of the
 * launching thread; if it slept for the most part, those of all threads, one of
 * which it may have waited for.  What they do not account for is no context's.
 */
static void blame_host(struct device_sums *s, uint32_t node,
		       const struct device_record *late, int64_t from,
		       int64_t to)
{
	const struct series *of =
		match_series(s->events, late->process, late->thread);
	double wanted = (double)(to - from), sum, scale;
	size_t count = of ? 1 : 0;

	sum = weight_between(of, count, from, to);
	if (sum < MAINLY_SLEPT * wanted) {
		of = series_of_process(s->events, late->process, &count);
		sum = weight_between(of, count, from, to);
	}
	scale = sum > wanted ? wanted / sum : 1;
	for (size_t i = 0; i < count; i++) {
		struct points p = points_between(&of[i], from, to);

		for (size_t n = 0; n < p.count; n++)
			add_device_wait(s, node, late->process, false,
					p.at[n].node, scale * p.each);
	}
	add_device_wait(s, node, late->process, false, 0, wanted - scale * sum);
}

static void blame_late(struct device_sums *s, const struct device_record *r,
		       const struct device_record *late, int64_t waited)
{
	int64_t launched = late->busy_ns ? late->launched : late->start;
	int64_t until = r->start + waited;

	if (launched > until)
		launched = until;
	if (launched > r->start)
		blame_host(s, r->node, late, r->start, launched);
	else
		launched = r->start;
	add_device_wait(s, r->node, late->process, true, late->busy_node,
			(double)(until - launched));
	device_rank(s, late->process)->caused_ns += s->weight * (double)waited;
}

/* A kernel of a call of `size` ranks, whose last one was `late`. */
static void add_device_kernel(struct device_sums *s,
			      const struct device_record *r,
			      const struct device_record *late, uint32_t size)
{
	int64_t until = late->start < r->end ? late->start : r->end;
	int64_t waited = until - r->start;

	if (waited <= 0 || (double)waited <= clocks_error(s->clocks, r->process,
							  late->process))
		waited = 0;
	add_collective(s, r, size, waited);
	if (waited)
		blame_late(s, r, late, waited);
}

static void add_device_call(struct device_sums *s,
			    const struct device_record *at, size_t count)
{
	const struct device_record *late = at;

	for (size_t i = 1; i < count; i++)
		if (at[i].start > late->start)
			late = &at[i];
	for (size_t i = 0; i < count; i++)
		add_device_kernel(s, &at[i], late, (uint32_t)count);
}

/*
 * Messages: a kernel waits for the last of the kernels at the other ends.
 */

static bool is_device_message(const struct device_record *r)
{
	return r->function == LIVE_COLLECTIVE_SEND ||
	       r->function == LIVE_COLLECTIVE_RECEIVE;
}

static void put_message_end(struct device_sums *s,
			    const struct device_record *own,
			    const struct device_record *other)
{
	const struct message_end end = { own, other };

	s->failed |= !array_append(&s->ends, &s->end_count, &s->end_room,
				   sizeof(end), &end);
}

/* One that was sent there, and received here. */
static bool is_whole_message(const struct device_record *at, size_t count)
{
	return count == 2 && is_device_message(&at[1]) &&
	       at[0].function != at[1].function;
}

ORDER_BY(by_device_kernel, struct message_end,
	 ASC(own->process) ?: ASC(own->device) ?: ASC(own->start)
		 ?: ASC(own->end) ?: ASC(own->key))

static bool are_of_one_kernel(const struct message_end *a,
			      const struct message_end *b)
{
	return a->own->process == b->own->process &&
	       a->own->device == b->own->device &&
	       a->own->start == b->own->start && a->own->end == b->own->end;
}

/*
 * The kernel of these messages.  Each stands for its part of the kernel, as
 * some may not have been kept.
 */
static void add_messages(struct device_sums *s, const struct message_end *at,
			 size_t count)
{
	struct device_record kernel = *at->own;
	const struct device_record *late = at->other;
	double weight = s->weight;
	double part = (double)count / (double)at->own->parts;

	for (size_t i = 1; i < count; i++) {
		kernel.bytes += at[i].own->bytes;
		if (at[i].own->function != kernel.function)
			kernel.function = LIVE_COLLECTIVE_EXCHANGE;
		if (at[i].other->start > late->start)
			late = at[i].other;
	}
	kernel.bytes = (uint64_t)((double)kernel.bytes / part);
	s->weight *= part;
	add_device_kernel(s, &kernel, late, 2);
	s->weight = weight;
}

static void add_message_kernels(struct device_sums *s)
{
	if (s->end_count)
		qsort(s->ends, s->end_count, sizeof(*s->ends),
		      by_device_kernel);
	for (size_t i = 0, end; i < s->end_count && !s->failed; i = end) {
		for (end = i + 1;
		     end < s->end_count &&
		     are_of_one_kernel(&s->ends[i], &s->ends[end]);)
			end++;
		add_messages(s, &s->ends[i], end - i);
	}
	free(s->ends);
}

/*
 * Calls.
 */

ORDER_BY(by_device_call, struct device_record,
	 ASC(key) ?: ASC(comm_rank) ?: ASC(process))

/*
 * The ranks of each communicator.  Older versions of NCCL do not say how many:
 * then as many as there are numbers.
 */
static void find_sizes(struct device_sums *s, const struct device_waits *w)
{
	s->sizes = calloc(w->count + 1, sizeof(*s->sizes));
	s->failed |= !s->sizes;
	for (size_t i = 0; i < w->count && !s->failed; i++) {
		const struct device_record *r = &w->at[i];
		uint32_t at = map_put(&s->comms, r->comm, 0,
				      (uint32_t)s->comms.count);
		uint32_t least = r->size ? r->size : r->comm_rank + 1;

		s->failed |= at == MAP_NONE;
		if (!s->failed && least > s->sizes[at])
			s->sizes[at] = least;
	}
}

/* Each rank of the communicator has made it, once. */
static bool is_whole(const struct device_record *at, size_t count,
		     uint32_t size)
{
	for (size_t i = 0; i < count; i++)
		if (at[i].comm_rank != i)
			return false;
	return count > 1 && count == size;
}

static void add_device_calls(struct device_sums *s,
			     const struct device_waits *w)
{
	struct run_device_calls *joined = &s->run->collectives.joined;

	for (size_t i = 0, end; i < w->count && !s->failed; i = end) {
		uint32_t size = s->sizes[map_get(&s->comms, w->at[i].comm, 0)];

		for (end = i + 1;
		     end < w->count && w->at[end].key == w->at[i].key;)
			end++;
		if (is_whole_message(&w->at[i], end - i)) {
			joined->calls++;
			put_message_end(s, &w->at[i], &w->at[i + 1]);
			put_message_end(s, &w->at[i + 1], &w->at[i]);
		} else if (!is_device_message(&w->at[i]) &&
			   is_whole(&w->at[i], end - i, size)) {
			joined->calls++;
			add_device_call(s, &w->at[i], end - i);
		} else if (size > 1) {
			joined->lacking++;
		}
	}
	add_message_kernels(s);
}

static void align_records(struct device_waits *w, const struct clocks *clocks)
{
	for (size_t i = 0; i < w->count; i++) {
		struct device_record *r = &w->at[i];

		r->launched =
			clocks_time(clocks, r->process, (uint64_t)r->launched);
		r->start = clocks_time(clocks, r->process, (uint64_t)r->start);
		r->end = clocks_time(clocks, r->process, (uint64_t)r->end);
	}
}

ORDER_BY(by_time, struct run_collective,
	 DESC(ns) ?: ASC(node) ?: ASC(comm) ?: ASC(function))

ORDER_BY(by_waited, struct run_device_wait,
	 DESC(ns) ?: ASC(node) ?: ASC(culprit) ?: ASC(busy) ?: ASC(context))

static void order_sums(struct run_collectives *to)
{
	size_t kept = 0;

	if (to->row_count)
		qsort(to->rows, to->row_count, sizeof(*to->rows), by_time);
	if (to->wait_count)
		qsort(to->waits, to->wait_count, sizeof(*to->waits), by_waited);
	for (size_t i = 0; i < to->rank_count; i++)
		if (to->ranks[i].ns > 0)
			to->ranks[kept++] = to->ranks[i];
	to->rank_count = kept;
}

int device_waits_make(struct run *run, struct device_waits *state,
		      const struct matched_events *events,
		      const struct clocks *clocks)
{
	struct run_collectives *to = &run->collectives;
	struct device_sums s = { .run = run,
				 .events = events,
				 .clocks = clocks,
				 .weight = ldexp(1, (int)state->level) };

	if (!state->count)
		return 0;
	to->ranks = calloc(run->rank_count + 1, sizeof(*to->ranks));
	to->rank_count = to->ranks ? run->rank_count : 0;
	s.failed = !to->ranks;
	for (size_t i = 0; i < to->rank_count; i++)
		to->ranks[i].rank = (uint32_t)i;
	find_devices(&s);
	find_sizes(&s, state);
	align_records(state, clocks);
	qsort(state->at, state->count, sizeof(*state->at), by_device_call);
	add_device_calls(&s, state);
	to->joined.level = state->level;
	to->joined.clock_error_ns = clocks->error_max;
	order_sums(to);
	map_fini(&s.rows);
	map_fini(&s.waits);
	map_fini(&s.devices);
	map_fini(&s.comms);
	free(s.sizes);
	return s.failed ? no_memory() : 0;
}
