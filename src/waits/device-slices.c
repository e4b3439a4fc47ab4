/* SPDX-License-Identifier: BSD-3-Clause */
/* device-slices.c - see device-slices.h. */
#include "waits/device-slices.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

/* The tables; what they begin with is the same in all. */
enum {
	SLICE_WORK,
	SLICE_CALLS,
	SLICE_RANGES,
	SLICE_TABLES
};

static const size_t row_sizes[SLICE_TABLES] = {
	sizeof(struct run_slice),
	sizeof(struct run_slice_call),
	sizeof(struct run_slice_range),
};

struct slice_head {
	uint64_t start_ns, ns;
	uint32_t rank;
};

/* Rows of one process stand together, in the order of the windows. */
struct slice_rows {
	void *at;
	size_t count, room;
};

struct device_slices {
	struct slice_rows tables[SLICE_TABLES];
	struct run_slice_window *windows;
	size_t window_count, window_room, count;
	size_t most, limit; /* rows of all, and of a process; 0: all */
	struct strings names;
};

static int init_device_slices(void *state)
{
	device_slices_bound(state, SLICE_ROWS);
	return 0;
}

void device_slices_bound(struct device_slices *state, size_t rows)
{
	state->most = rows;
}

static void fini_device_slices(void *state)
{
	struct device_slices *s = state;

	for (int i = 0; i < SLICE_TABLES; i++)
		free(s->tables[i].at);
	free(s->windows);
	strings_fini(&s->names);
	*s = (struct device_slices){ 0 };
}

static bool put_slice_row(struct device_slices *s, int table, const void *row)
{
	struct slice_rows *to = &s->tables[table];

	s->count++;
	return array_append(&to->at, &to->count, &to->room, row_sizes[table],
			    row);
}

static bool add_slice_work(struct device_slices *s, const struct gathered *one)
{
	const struct profile *p = one->profile;
	bool ok = true;

	for (size_t i = 0; i < p->slice_count && ok; i++) {
		const struct profile_slice *a = &p->slices[i];
		const struct run_slice row = {
			.start_ns = a->start,
			.ns = a->end - a->start,
			.rank = one->process,
			.node = one->nodes[a->node],
			.launched_ns = a->launched,
			.bytes = a->bytes,
			.id = a->id,
			.thread = a->thread,
			.device = a->device,
			.context = a->context,
			.stream = a->stream,
			.kind = (uint8_t)a->kind,
			.function = (uint8_t)a->function,
		};

		ok = put_slice_row(s, SLICE_WORK, &row);
	}
	return ok;
}

static bool add_slice_calls(struct device_slices *s, const struct gathered *one)
{
	const struct profile *p = one->profile;
	bool ok = true;

	for (size_t i = 0; i < p->slice_call_count && ok; i++) {
		const struct profile_slice_call *a = &p->slice_calls[i];
		const struct run_slice_call row = {
			.start_ns = a->start,
			.ns = a->end - a->start,
			.rank = one->process,
			.node = one->nodes[a->node],
			.id = a->id,
			.thread = a->thread,
		};

		ok = put_slice_row(s, SLICE_CALLS, &row);
	}
	return ok;
}

static bool add_slice_ranges(struct device_slices *s,
			     const struct gathered *one)
{
	const struct profile *p = one->profile;
	bool ok = true;

	for (size_t i = 0; i < p->slice_range_count && ok; i++) {
		const struct profile_slice_range *a = &p->slice_ranges[i];
		const struct run_slice_range row = {
			.start_ns = a->start,
			.ns = a->end - a->start,
			.rank = one->process,
			.name = str_add(&s->names, a->name),
			.thread = a->thread,
		};

		ok = row.name != STR_NONE &&
		     put_slice_row(s, SLICE_RANGES, &row);
	}
	return ok;
}

/*
 * Fewer of each process.
 */

static struct slice_head head_of_row(const struct device_slices *s, int table,
				     size_t row)
{
	const char *at = s->tables[table].at;
	struct slice_head head;

	memcpy(&head, at + row * row_sizes[table], sizeof(head));
	return head;
}

static int by_end(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return ORDER(*a, *b);
}

/* What ended up to then goes, so that `limit` are left. */
static uint64_t time_of_cut(const struct device_slices *s,
			    const struct run_slice_window *w,
			    const size_t from[SLICE_TABLES], uint64_t *ends)
{
	size_t count = 0;

	for (int i = 0; i < SLICE_TABLES; i++)
		for (size_t row = from[i]; row < s->tables[i].count; row++) {
			struct slice_head head = head_of_row(s, i, row);

			if (head.rank != w->rank)
				break;
			ends[count++] = head.start_ns + head.ns;
		}
	if (count <= s->limit)
		return 0;
	qsort(ends, count, sizeof(*ends), by_end);
	return ends[count - s->limit - 1];
}

/* The rows of a process at from[] that end later become those at to[]. */
static void move_slice_rows(struct device_slices *s, struct run_slice_window *w,
			    size_t from[SLICE_TABLES], size_t to[SLICE_TABLES],
			    uint64_t until)
{
	for (int i = 0; i < SLICE_TABLES; i++) {
		char *at = s->tables[i].at;
		size_t size = row_sizes[i];

		for (; from[i] < s->tables[i].count; from[i]++) {
			struct slice_head head = head_of_row(s, i, from[i]);

			if (head.rank != w->rank)
				break;
			if (head.start_ns + head.ns <= until) {
				w->kept--;
				w->lost++;
				continue;
			}
			memmove(at + size * to[i]++, at + size * from[i], size);
		}
	}
	if (until > w->whole_ns)
		w->whole_ns = until;
}

static int limit_slices(struct device_slices *s)
{
	size_t from[SLICE_TABLES] = { 0 }, to[SLICE_TABLES] = { 0 };
	uint64_t *ends = calloc(s->count + 1, sizeof(*ends));

	if (!ends)
		return no_memory();
	for (size_t i = 0; i < s->window_count; i++) {
		struct run_slice_window *w = &s->windows[i];
		uint64_t until = time_of_cut(s, w, from, ends);

		move_slice_rows(s, w, from, to, until);
	}
	s->count = 0;
	for (int i = 0; i < SLICE_TABLES; i++)
		s->count += s->tables[i].count = to[i];
	free(ends);
	return 0;
}

static size_t rows_within(const struct device_slices *s, size_t limit)
{
	size_t sum = 0;

	for (size_t i = 0; i < s->window_count; i++)
		sum += s->windows[i].kept < limit ? s->windows[i].kept : limit;
	return sum;
}

/* A power of two: the same, whatever the order of the profiles. */
static int bound_slices(struct device_slices *s)
{
	if (s->count <= s->most)
		return 0;
	if (!s->limit)
		s->limit = SLICE_ROWS;
	while (s->limit > 1 && rows_within(s, s->limit) > s->most)
		s->limit /= 2;
	return limit_slices(s);
}

static int add_device_slices(void *state, const struct gathered *one)
{
	struct device_slices *s = state;
	const struct profile *p = one->profile;
	struct run_slice_window w = { .rank = one->process };

	if (!p->slice_window_count)
		return 0;
	w.kept = p->slice_count + p->slice_call_count + p->slice_range_count;
	w.lost = p->slice_windows->lost;
	w.whole_ns = p->slice_windows->lost_until;
	w.begin_ns = p->slice_windows->begin;
	w.end_ns = p->slice_windows->end;
	if (!array_append(&s->windows, &s->window_count, &s->window_room,
			  sizeof(w), &w) ||
	    !add_slice_work(s, one) || !add_slice_calls(s, one) ||
	    !add_slice_ranges(s, one))
		return no_memory();
	return bound_slices(s);
}

/*
 * The run.
 */

static void want_slice_nodes(const void *state, bool *wanted)
{
	const struct device_slices *s = state;
	const struct run_slice *work = s->tables[SLICE_WORK].at;
	const struct run_slice_call *calls = s->tables[SLICE_CALLS].at;

	for (size_t i = 0; i < s->tables[SLICE_WORK].count; i++)
		wanted[work[i].node] = true;
	for (size_t i = 0; i < s->tables[SLICE_CALLS].count; i++)
		wanted[calls[i].node] = true;
}

static int finish_device_slices(void *state, struct run *run,
				const uint32_t *order, const uint32_t *became)
{
	struct device_slices *s = state;
	struct run_slice *work = s->tables[SLICE_WORK].at;
	struct run_slice_call *calls = s->tables[SLICE_CALLS].at;
	struct run_slice_range *ranges = s->tables[SLICE_RANGES].at;
	int err = s->limit ? limit_slices(s) : 0;

	for (size_t i = 0; i < s->window_count; i++)
		s->windows[i].rank = order[s->windows[i].rank];
	for (size_t i = 0; i < s->tables[SLICE_WORK].count; i++) {
		work[i].rank = order[work[i].rank];
		work[i].node = became[work[i].node];
	}
	for (size_t i = 0; i < s->tables[SLICE_CALLS].count; i++) {
		calls[i].rank = order[calls[i].rank];
		calls[i].node = became[calls[i].node];
	}
	for (size_t i = 0; i < s->tables[SLICE_RANGES].count && !err; i++) {
		struct run_slice_range *r = &ranges[i];

		r->rank = order[r->rank];
		r->name = str_add(&run->strings, str_at(&s->names, r->name));
		if (r->name == STR_NONE)
			err = no_memory();
	}
	return err;
}

const struct gatherer gatherer_device_slices = {
	.size = sizeof(struct device_slices),
	.init = init_device_slices,
	.fini = fini_device_slices,
	.add = add_device_slices,
	.wanted = want_slice_nodes,
	.finish = finish_device_slices,
};

/*
 * One clock.
 */

struct slice_clock {
	const struct clocks *clocks;
	int64_t begin;
};

/* What is before the first process: clocks are not known so well. */
static uint64_t time_of_slice(const struct slice_clock *c, uint32_t process,
			      uint64_t ns)
{
	int64_t time = clocks_time(c->clocks, process, ns);

	return time > c->begin ? (uint64_t)(time - c->begin) : 0;
}

/* 0 and UINT64_MAX say that there is none. */
static uint64_t time_if_any(const struct slice_clock *c, uint32_t process,
			    uint64_t ns)
{
	uint64_t time;

	if (!ns || ns == UINT64_MAX)
		return ns;
	time = time_of_slice(c, process, ns);
	return time ? time : 1;
}

static void align_slices(struct run_slices *to, const struct slice_clock *c)
{
	for (size_t i = 0; i < to->window_count; i++) {
		struct run_slice_window *w = &to->windows[i];

		w->whole_ns = time_if_any(c, w->rank, w->whole_ns);
		w->begin_ns = time_if_any(c, w->rank, w->begin_ns);
		w->end_ns = time_if_any(c, w->rank, w->end_ns);
	}
	for (size_t i = 0; i < to->work_count; i++) {
		struct run_slice *a = &to->work[i];

		a->start_ns = time_of_slice(c, a->rank, a->start_ns);
		a->launched_ns = time_if_any(c, a->rank, a->launched_ns);
	}
	for (size_t i = 0; i < to->call_count; i++)
		to->calls[i].start_ns = time_of_slice(c, to->calls[i].rank,
						      to->calls[i].start_ns);
	for (size_t i = 0; i < to->range_count; i++)
		to->ranges[i].start_ns = time_of_slice(c, to->ranges[i].rank,
						       to->ranges[i].start_ns);
}

ORDER_BY(by_window_rank, struct run_slice_window, ASC(rank))

ORDER_BY(by_work_start, struct run_slice,
	 ASC(rank) ?: ASC(start_ns) ?: DESC(ns) ?: ASC(id))

ORDER_BY(by_call_start, struct run_slice_call,
	 ASC(rank) ?: ASC(start_ns) ?: DESC(ns) ?: ASC(id))

ORDER_BY(by_range_start, struct run_slice_range,
	 ASC(rank) ?: ASC(start_ns) ?: DESC(ns) ?: ASC(thread))

static void sort_slices(struct run_slices *to)
{
	qsort(to->windows, to->window_count, sizeof(*to->windows),
	      by_window_rank);
	if (to->work_count)
		qsort(to->work, to->work_count, sizeof(*to->work),
		      by_work_start);
	if (to->call_count)
		qsort(to->calls, to->call_count, sizeof(*to->calls),
		      by_call_start);
	if (to->range_count)
		qsort(to->ranges, to->range_count, sizeof(*to->ranges),
		      by_range_start);
}

int device_slices_make(struct run *run, struct device_slices *state,
		       const struct matched_events *events,
		       const struct clocks *clocks)
{
	const struct clock_source *first = events->sources;
	struct run_slices *to = &run->slices;
	struct slice_clock clock = { .clocks = clocks };

	if (!state->window_count || !events->source_count)
		return 0;
	to->axes = calloc(1, sizeof(*to->axes));
	if (!to->axes)
		return no_memory();
	to->axis_count = 1;
	clock.begin = clocks_begin(clocks, events);
	to->axes->begin_real_ns =
		first->start_real +
		(uint64_t)(clock.begin - clocks_time(clocks, first->process,
						     first->start_mono));
	to->axes->clock_error_ns = clocks->error_max;
	to->windows = state->windows;
	to->window_count = state->window_count;
	to->work = state->tables[SLICE_WORK].at;
	to->work_count = state->tables[SLICE_WORK].count;
	to->calls = state->tables[SLICE_CALLS].at;
	to->call_count = state->tables[SLICE_CALLS].count;
	to->ranges = state->tables[SLICE_RANGES].at;
	to->range_count = state->tables[SLICE_RANGES].count;
	memset(state->tables, 0, sizeof(state->tables));
	state->windows = NULL;
	state->window_count = 0;
	align_slices(to, &clock);
	sort_slices(to);
	return 0;
}
