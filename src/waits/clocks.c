/* SPDX-License-Identifier: BSD-3-Clause */
/* clocks.c - offsets between clocks from dates, messages and collectives. */
#include <errno.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/map.h"
#include "live/layout.h"
#include "waits/clock-bounds.h"
#include "waits/clocks.h"
#include "waits/match-events.h"

#define FAR_NS     1e12 /* clocks are not farther from their dates */
#define DRIFT      1e-3 /* and do not drift more, against each other */
#define DRIFT_NS   1000
#define SLACK_NS   1000 /* the first that bounds are widened by */
#define SLACK_MOST 1e13
#define TIME_MOST  ((int64_t)1 << 60)

struct found_clock {               /* one of them, while they are found */
	struct clock_source first; /* of the first process that has it */
	int64_t begin, end;        /* of its processes */
};

/* What is known of clock b's offset from clock a, a < b. */
struct clock_pair {
	uint32_t a, b;
	struct bounds bounds;
	double slack;
	struct clock_line line;
	double error;
};

struct aligning {
	struct clocks *clocks;
	struct matched_events *events;
	struct found_clock *at;
	struct clock_pair *edges;
	size_t edge_count, edge_room;
	struct map map; /* (a, b) to edge */
	/* Of the clocks in one operation: */
	uint32_t *present;
	int64_t *first_leave, *last_begin;
};

struct clock_source clock_source_of(const struct profile_identity *id,
				    uint32_t process)
{
	struct clock_source s = {
		.process = process,
		.start_real = id->start_real_ns,
		.start_mono = id->start_mono_ns,
		.late_real = id->late_real_ns,
		.late_mono = id->late_mono_ns,
		.end_mono = id->end_mono_ns,
	};

	snprintf(s.id, sizeof(s.id), "%s",
		 *id->clock_id ? id->clock_id : id->host);
	return s;
}

void clock_source_reach(struct clock_source *source, uint64_t mono_ns)
{
	if (mono_ns > source->end_mono)
		source->end_mono = mono_ns;
}

/*
 * Which clocks there are.
 */

static int64_t clamped_ns(uint64_t ns)
{
	return ns < (uint64_t)TIME_MOST ? (int64_t)ns : TIME_MOST;
}

static void widen_clock(struct found_clock *clock, const struct clock_source *s)
{
	if (clamped_ns(s->start_mono) < clock->begin)
		clock->begin = clamped_ns(s->start_mono);
	if (clamped_ns(s->end_mono) > clock->end)
		clock->end = clamped_ns(s->end_mono);
}

static int find_clocks(struct aligning *a, size_t processes)
{
	struct clocks *clocks = a->clocks;
	struct strings ids = { 0 };
	int err = 0;

	a->at = calloc(processes + 1, sizeof(*a->at));
	clocks->of = calloc(processes + 1, sizeof(*clocks->of));
	if (!a->at || !clocks->of || str_add(&ids, "") == STR_NONE)
		err = -ENOMEM;
	for (size_t i = 0; i < a->events->source_count && !err; i++) {
		const struct clock_source *s = &a->events->sources[i];
		uint32_t id = *s->id ? str_add(&ids, s->id) : 0;
		uint32_t at = map_put(&a->map, id, 0, (uint32_t)clocks->count);

		if (id == STR_NONE || at == MAP_NONE) {
			err = -ENOMEM;
			break;
		}
		if (at == clocks->count)
			a->at[clocks->count++] =
				(struct found_clock){ *s, TIME_MOST, 0 };
		widen_clock(&a->at[at], s);
		clocks->of[s->process] = at;
	}
	strings_fini(&ids);
	map_fini(&a->map);
	return err;
}

/*
 * Bounds between pairs of clocks.
 */

/* Date less monotonic time, at the start or late. */
static int64_t clock_date(const struct clock_source *s, bool late)
{
	if (late && s->late_mono)
		return (int64_t)(s->late_real - s->late_mono);
	return (int64_t)(s->start_real - s->start_mono);
}

/* Within 36 years: what a file says must not make sums overflow. */
static int64_t bounded_time(int64_t ns)
{
	return ns > TIME_MOST ? TIME_MOST : ns < -TIME_MOST ? -TIME_MOST : ns;
}

static int64_t date_offset(const struct aligning *a, uint32_t x, uint32_t y,
			   bool late)
{
	return bounded_time(
		(int64_t)((uint64_t)clock_date(&a->at[y].first, late) -
			  (uint64_t)clock_date(&a->at[x].first, late)));
}

static int64_t clock_span(const struct found_clock *clock)
{
	return clock->end > clock->begin ? clock->end - clock->begin : 1;
}

static void edge_begin(const struct aligning *a, struct clock_pair *e)
{
	const struct found_clock *clock = &a->at[e->b];

	e->line =
		(struct clock_line){ .base = date_offset(a, e->a, e->b, false),
				     .begin = clock->begin,
				     .length = clock_span(clock) };
	bounds_init(&e->bounds, FAR_NS,
		    DRIFT * (double)clock_span(clock) + DRIFT_NS + e->slack);
}

static struct clock_pair *find_edge(struct aligning *a, uint32_t x, uint32_t y)
{
	uint32_t at = map_put(&a->map, x, y, (uint32_t)a->edge_count);
	struct clock_pair new = { .a = x, .b = y };

	if (at == MAP_NONE)
		return NULL;
	if (at < a->edge_count)
		return &a->edges[at];
	edge_begin(a, &new);
	if (!array_append(&a->edges, &a->edge_count, &a->edge_room, sizeof(new),
			  &new))
		return NULL;
	return &a->edges[at];
}

/* How far the edge's line has gone at a time of clock b, 0 … 1. */
static double share_at(const struct clock_pair *e, int64_t time)
{
	double share = (double)(time - e->line.begin) / (double)e->line.length;

	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/*
 * The event at `before` on clock x came before the event at `after`
 * on clock y.  A soft bound is dropped when it contradicts the others.
 */
static int put_bound(struct aligning *a, uint32_t x, int64_t before, uint32_t y,
		     int64_t after, bool soft)
{
	struct clock_pair *e = x < y ? find_edge(a, x, y) : find_edge(a, y, x);
	int64_t of_a = x < y ? before : after, of_b = x < y ? after : before;
	struct bounds old;
	double value;

	if (!e)
		return -ENOMEM;
	old = e->bounds;
	value = (double)(of_a - of_b - e->line.base);
	if (x < y)
		bounds_above(&e->bounds, share_at(e, of_b), value - e->slack);
	else
		bounds_below(&e->bounds, share_at(e, of_b), value + e->slack);
	if (soft && !e->bounds.count)
		e->bounds = old;
	return 0;
}

static int bound_message(struct aligning *a, const struct event_record *p)
{
	uint32_t x = a->clocks->of[p[0].process];
	uint32_t y = a->clocks->of[p[1].process];

	return x == y ? 0 : put_bound(a, x, p[0].begin, y, p[1].leave, false);
}

/* The first that leaves and the last that begins, on each clock. */
static size_t clock_extremes(struct aligning *a, const struct event_record *p,
			     size_t count)
{
	size_t present = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t c = a->clocks->of[p[i].process];

		if (a->first_leave[c] == INT64_MAX)
			a->present[present++] = c;
		if (p[i].leave < a->first_leave[c])
			a->first_leave[c] = p[i].leave;
		if (p[i].begin > a->last_begin[c])
			a->last_begin[c] = p[i].begin;
	}
	return present;
}

/* Every clock against the first one that is there: others follow. */
static int bound_collective(struct aligning *a, const struct event_record *p,
			    size_t count)
{
	size_t present = clock_extremes(a, p, count);
	uint32_t x = a->present[0];
	int err = 0;

	for (size_t i = 1; i < present; i++)
		x = a->present[i] < x ? a->present[i] : x;
	for (size_t i = 0; i < present && !err; i++) {
		uint32_t y = a->present[i];

		if (y == x)
			continue;
		err = put_bound(a, x, a->last_begin[x], y, a->first_leave[y],
				p->init);
		if (!err)
			err = put_bound(a, y, a->last_begin[y], x,
					a->first_leave[x], p->init);
	}
	for (size_t i = 0; i < present; i++) {
		a->first_leave[a->present[i]] = INT64_MAX;
		a->last_begin[a->present[i]] = INT64_MIN;
	}
	return err;
}

/* One pass over all operations: those of MPI_Init, or the others. */
static int put_bounds(struct aligning *a, bool init)
{
	const struct matched_events *events = a->events;
	int err = 0;

	for (size_t i = 0, end; i < events->count && !err; i = end) {
		const struct event_record *p = &events->at[i];

		end = match_operation_end(events, i);
		if (p->init != init || !p->meets)
			continue;
		if (p->kind == LIVE_EVENT_SEND)
			err = bound_message(a, p);
		else
			err = bound_collective(a, p, end - i);
	}
	return err;
}

/* Widen the bounds of those pairs that have none left: true if there were. */
static bool widen_bounds(struct aligning *a)
{
	bool again = false;

	for (size_t i = 0; i < a->edge_count; i++) {
		struct clock_pair *e = &a->edges[i];

		if (!e->bounds.count && e->slack < SLACK_MOST) {
			e->slack = e->slack > 0 ? 2 * e->slack : SLACK_NS;
			again = true;
		}
	}
	for (size_t i = 0; i < a->edge_count && again; i++)
		edge_begin(a, &a->edges[i]);
	return again;
}

static int find_bounds(struct aligning *a)
{
	size_t count = a->clocks->count;
	int err;

	a->present = calloc(count, sizeof(*a->present));
	a->first_leave = calloc(count, sizeof(*a->first_leave));
	a->last_begin = calloc(count, sizeof(*a->last_begin));
	if (!a->present || !a->first_leave || !a->last_begin)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		a->first_leave[i] = INT64_MAX;
		a->last_begin[i] = INT64_MIN;
	}
	do
		err = put_bounds(a, false);
	while (!err && widen_bounds(a));
	return err ? err : put_bounds(a, true);
}

/*
 * From pairs to all.
 */

/* Dates narrow what is left, unless they contradict it. */
static void fit_clock_line(const struct aligning *a, struct clock_pair *e)
{
	double late = (double)(date_offset(a, e->a, e->b, true) - e->line.base);
	struct bounds narrow = e->bounds;

	bounds_above(&narrow, 0, -CLOCK_DATE_NS);
	bounds_below(&narrow, 0, CLOCK_DATE_NS);
	bounds_above(&narrow, 1, late - CLOCK_DATE_NS);
	bounds_below(&narrow, 1, late + CLOCK_DATE_NS);
	if (narrow.count)
		e->bounds = narrow;
	if (!e->bounds.count) { /* they make no sense */
		e->error = FAR_NS;
		return;
	}
	e->error = bounds_middle(&e->bounds, &e->line.from, &e->line.to) +
		   e->slack;
}

static int64_t line_shift(const struct clock_line *line, int64_t time)
{
	double share = (double)(time - line->begin) / (double)line->length;
	double rest;

	share = share < -1 ? -1 : share > 2 ? 2 : share;
	rest = line->from + (line->to - line->from) * share;

	return line->base + (int64_t)(rest < 0 ? rest - 0.5 : rest + 0.5);
}

/* The line from clock y to x to the first clock: by x's own. */
static struct clock_line line_through(const struct clocks *clocks,
				      const struct clock_pair *e, uint32_t y,
				      const struct found_clock *of_y)
{
	uint32_t x = y == e->b ? e->a : e->b;
	struct clock_line line = { .begin = of_y->begin,
				   .length = clock_span(of_y) };
	int64_t at[2];

	for (int i = 0; i < 2; i++) {
		int64_t time = line.begin + (i ? line.length : 0);
		int64_t other = time;

		/* Backwards the line is that of the other's time: nearly. */
		if (y == e->b)
			other += line_shift(&e->line, time);
		else
			other -= line_shift(&e->line, time - e->line.base);
		at[i] = bounded_time(other + line_shift(&clocks->at[x], other) -
				     time);
	}
	line.base = at[0];
	line.to = (double)(at[1] - at[0]);
	return line;
}

/* As Dijkstra: the clock that is known best is next, for its neighbours. */
static void spread_alignment(struct aligning *a, bool *done)
{
	struct clocks *clocks = a->clocks;

	for (size_t round = 0; round < clocks->count; round++) {
		size_t next = SIZE_MAX;

		for (size_t i = 0; i < clocks->count; i++)
			if (!done[i] && clocks->error[i] < DBL_MAX &&
			    (next == SIZE_MAX ||
			     clocks->error[i] < clocks->error[next]))
				next = i;
		if (next == SIZE_MAX)
			return;
		done[next] = true;
		for (size_t i = 0; i < a->edge_count; i++) {
			const struct clock_pair *e = &a->edges[i];
			uint32_t other = e->a == next ? e->b : e->a;
			double error = clocks->error[next] + e->error;

			if ((e->a != next && e->b != next) || done[other] ||
			    error >= clocks->error[other])
				continue;
			clocks->error[other] = error;
			clocks->at[other] =
				line_through(clocks, e, other, &a->at[other]);
		}
	}
}

/* No bound leads there: all that is known is the date. */
static void by_date(const struct aligning *a, uint32_t clock)
{
	struct clock_line *line = &a->clocks->at[clock];

	*line = (struct clock_line){ .base = date_offset(a, 0, clock, false),
				     .begin = a->at[clock].begin,
				     .length = clock_span(&a->at[clock]) };
	line->to = (double)(date_offset(a, 0, clock, true) - line->base);
	a->clocks->error[clock] = CLOCK_DATE_NS;
	a->clocks->unbound++;
}

static int fit_clock_lines(struct aligning *a)
{
	struct clocks *clocks = a->clocks;
	bool *done = calloc(clocks->count, sizeof(*done));

	clocks->at = calloc(clocks->count, sizeof(*clocks->at));
	clocks->error = calloc(clocks->count, sizeof(*clocks->error));
	if (!done || !clocks->at || !clocks->error) {
		free(done);
		return -ENOMEM;
	}
	for (size_t i = 0; i < a->edge_count; i++)
		fit_clock_line(a, &a->edges[i]);
	clocks->at[0].length = 1;
	for (size_t i = 1; i < clocks->count; i++)
		clocks->error[i] = DBL_MAX;
	spread_alignment(a, done);
	for (uint32_t i = 0; i < clocks->count; i++) {
		if (!done[i])
			by_date(a, i);
		if (clocks->error[i] > clocks->error_max)
			clocks->error_max = clocks->error[i];
	}
	free(done);
	return 0;
}

int64_t clocks_time(const struct clocks *clocks, uint32_t process, uint64_t ns)
{
	int64_t time = clamped_ns(ns);

	return clocks->at ? time + line_shift(&clocks->at[clocks->of[process]],
					      time)
			  : time;
}

int64_t clocks_begin(const struct clocks *clocks,
		     const struct matched_events *events)
{
	int64_t begin = INT64_MAX;

	for (size_t i = 0; i < events->source_count; i++) {
		const struct clock_source *s = &events->sources[i];
		int64_t from = clocks_time(clocks, s->process, s->start_mono);

		begin = from < begin ? from : begin;
	}
	return begin;
}

static void shift_all(const struct clocks *clocks,
		      struct matched_events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		struct event_record *p = &events->at[i];
		const struct clock_line *line =
			&clocks->at[clocks->of[p->process]];

		p->begin += line_shift(line, p->begin);
		p->enter += line_shift(line, p->enter);
		p->leave += line_shift(line, p->leave);
	}
	for (size_t i = 0; i < events->series_count; i++) {
		struct series *s = &events->series[i];
		const struct clock_line *line =
			&clocks->at[clocks->of[s->process]];

		for (size_t m = 0; m < s->count; m++)
			s->at[m].ns += line_shift(line, s->at[m].ns);
	}
}

int clocks_align(struct clocks *clocks, struct matched_events *events,
		 size_t processes)
{
	struct aligning a = { .clocks = clocks, .events = events };
	int err;

	*clocks = (struct clocks){ 0 };
	err = find_clocks(&a, processes);
	if (!err && clocks->count > 1) {
		err = find_bounds(&a);
		if (!err)
			err = fit_clock_lines(&a);
		if (!err)
			shift_all(clocks, events);
	}
	map_fini(&a.map);
	free(a.at);
	free(a.edges);
	free(a.present);
	free(a.first_leave);
	free(a.last_begin);
	return err ? no_memory() : 0;
}

void clocks_fini(struct clocks *clocks)
{
	free(clocks->at);
	free(clocks->error);
	free(clocks->of);
	*clocks = (struct clocks){ 0 };
}

double clocks_error(const struct clocks *clocks, uint32_t a, uint32_t b)
{
	uint32_t x = clocks->of[a], y = clocks->of[b];

	return x == y ? 0 : clocks->error[x] + clocks->error[y];
}
