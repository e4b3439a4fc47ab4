/* SPDX-License-Identifier: BSD-3-Clause */
/* match-events.c - collect event records and trace points within bounds, and
 * match the records.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"
#include "live/layout.h"
#include "waits/match-events.h"
#include "run/values.h"
#include "base/ordered-pool.h"

void match_init(struct matched_events *events, size_t bytes, size_t point_bytes)
{
	*events = (struct matched_events){
		.most = bytes / sizeof(struct event_record),
		.most_points = point_bytes / sizeof(struct trace_point),
	};
}

void match_fini(struct matched_events *events)
{
	for (size_t i = 0; i < events->series_count; i++)
		free(events->series[i].at);
	free(events->series);
	free(events->sources);
	free(events->at);
	*events = (struct matched_events){ 0 };
}

/*
 * Collecting.
 */

static void raise_level(struct matched_events *events, uint32_t level)
{
	size_t kept = 0;

	events->level = level;
	for (size_t i = 0; i < events->count; i++)
		if (events->at[i].level >= level)
			events->at[kept++] = events->at[i];
	events->count = kept;
}

static bool is_call_named(const struct profile *p, uint32_t node,
			  const char *name)
{
	const struct profile_node *n = &p->nodes[node];

	return n->kind == NODE_NAMED && !strcmp(p->names[n->owner].text, name);
}

static bool is_mpi_init(const struct profile *p, uint32_t node)
{
	const struct profile_node *n = &p->nodes[node];

	return n->kind == NODE_NAMED &&
	       !strncmp(p->names[n->owner].text, "MPI_Init", 8) &&
	       strcmp(p->names[n->owner].text, "MPI_Initialized") != 0;
}

/*
 * Barriers, and collectives in which each sends something to each: not those
 * whose counts differ, since who gets nothing waits for nobody.  Messages, too,
 * but for MPI_Win_post: MPI chooses which call waits for it, if any.
 */
static bool all_ranks_meet_in(const struct profile *p,
			      const struct profile_event *event)
{
	static const char *const names[] = {
		"MPI_Allreduce",  "MPI_Allgather",  "MPI_Alltoall",
		"MPI_Iallreduce", "MPI_Iallgather", "MPI_Ialltoall",
	};
	if (event->kind == LIVE_EVENT_BARRIER)
		return true;
	if (event->kind <= LIVE_EVENT_RECV)
		return !is_call_named(p, event->begin_node, "MPI_Win_post");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (event->kind == LIVE_EVENT_ALL &&
		    is_call_named(p, event->begin_node, names[i]))
			return true;
	return false;
}

/* A record of an epoch's end: nothing in MPI waits for its receiver. */
static bool is_one_way(const struct profile *p,
		       const struct profile_event *event)
{
	return event->kind == LIVE_EVENT_SEND &&
	       (is_call_named(p, event->begin_node, "MPI_Win_post") ||
		is_call_named(p, event->begin_node, "MPI_Win_complete"));
}

/* Said before anything is found out about it: in a large job, of most. */
static bool is_level_wanted(const struct matched_events *events, uint32_t level)
{
	return (uint8_t)level >= events->level;
}

static int put_event_record(struct matched_events *events,
			    const struct event_record *event)
{
	while (event->level >= events->level && events->count >= events->most &&
	       events->level < 64)
		raise_level(events, events->level + 1);
	if (event->level < events->level)
		return 0;
	return array_append(&events->at, &events->count, &events->room,
			    sizeof(*event), event)
		       ? 0
		       : -ENOMEM;
}

static int add_profile_record(struct matched_events *events,
			      const struct profile *p,
			      const struct profile_event *from,
			      uint32_t process, const uint32_t *nodes)
{
	struct event_record event = {
		.key = from->key,
		.begin = (int64_t)from->begin,
		.enter = (int64_t)from->enter,
		.leave = (int64_t)from->leave,
		.begin_node = nodes[from->begin_node],
		.node = nodes[from->node],
		.process = process,
		.thread = from->thread,
		.peer = from->peer,
		.check = from->check,
		.size = from->size,
		.comm_rank = from->comm_rank,
		.cluster = from->cluster,
		.kind = (uint8_t)from->kind,
		.level = (uint8_t)from->level,
		.main = from->thread == p->id.mpi_thread,
		.init = is_mpi_init(p, from->node),
		.meets = all_ranks_meet_in(p, from),
		.one_way = is_one_way(p, from),
	};

	return put_event_record(events, &event);
}

static void thin_series(struct series *s, size_t step)
{
	struct trace_point *less;
	size_t kept = 0;

	for (size_t m = 0; m < s->count; m += step)
		s->at[kept++] = s->at[m];
	less = reallocarray(s->at, kept + 1, sizeof(*less));
	s->at = less ? less : s->at;
	s->count = kept;
}

static void thin_points(struct matched_events *events)
{
	events->thinned++;
	events->point_count = 0;
	for (size_t i = 0; i < events->series_count; i++) {
		struct series *s = &events->series[i];

		thin_series(s, 2);
		events->point_count += s->count;
	}
}

/* Takes the points, which are thinned as the others are. */
static int put_series(struct matched_events *events, const struct series *s)
{
	if (!array_append(&events->series, &events->series_count,
			  &events->series_room, sizeof(*s), s)) {
		free(s->at);
		return -ENOMEM;
	}
	events->point_count += s->count;
	while (events->point_count > events->most_points &&
	       events->thinned < 32)
		thin_points(events);
	return 0;
}

enum {
	HELPERS_MOST = 1024 /* points, about: of all of a process's */
};

/* Moments from..to - 1 of the profile are of one thread. */
static int add_series(struct matched_events *events, const struct profile *p,
		      size_t from, size_t to, uint32_t process,
		      const uint32_t *nodes)
{
	const struct profile_thread *t = &p->threads[p->moments[from].thread];
	size_t step = (size_t)1 << events->thinned;
	struct series s = { .process = process,
			    .thread = p->moments[from].thread,
			    .wall = p->id.wall == LIVE_WALL_SAMPLED,
			    .every = t->every ? t->every : 1 };

	if (t->samples)
		s.period_ns = (double)t->cpu_ns / (double)t->samples;
	s.at = calloc((to - from) / step + 1, sizeof(*s.at));
	if (!s.at)
		return -ENOMEM;
	for (size_t i = from; i < to; i += step)
		s.at[s.count++] = (struct trace_point){
			.ns = (int64_t)p->moments[i].ns,
			.node = nodes[p->moments[i].node],
			.weight_ns = p->moments[i].weight_ns,
		};
	return put_series(events, &s);
}

/*
 * Sorted by thread, as points are.  A program without MPI has points of its
 * own only where a trace was asked for, and then all threads are alike.
 */
static bool has_records(const struct profile *p, uint32_t thread)
{
	size_t from = 0, to = p->part_count;

	/* Where ranks exchange nothing: the main thread, or all without MPI. */
	if (!p->part_count)
		return !p->id.size || !thread;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (p->parts[middle].thread < thread)
			from = middle + 1;
		else
			to = middle;
	}
	return from < p->part_count && p->parts[from].thread == thread;
}

static size_t thread_end(const struct profile *p, size_t from)
{
	size_t end = from + 1;

	while (end < p->moment_count &&
	       p->moments[end].thread == p->moments[from].thread)
		end++;
	return end;
}

ORDER_BY(by_trace_point, struct trace_point, ASC(ns) ?: ASC(node))

/* Keeps one of `step` points of a helper, with the weight of all. */
static void add_helper(struct series *s, const struct profile *p, size_t from,
		       size_t to, size_t step, const uint32_t *nodes)
{
	const struct profile_thread *t = &p->threads[p->moments[from].thread];
	double every = (double)(t->every ? t->every : 1) * (double)step;
	double samples = (double)(t->samples + !t->samples);
	double cpu = every * (double)t->cpu_ns / samples;

	for (size_t i = from; i < to; i += step)
		s->at[s->count++] = (struct trace_point){
			.ns = (int64_t)p->moments[i].ns,
			.node = nodes[p->moments[i].node],
			.weight_ns = (uint32_t)fmin(cpu, UINT32_MAX),
		};
}

/* `count` points are helpers'. */
static int add_helpers(struct matched_events *events, const struct profile *p,
		       size_t count, uint32_t process, const uint32_t *nodes)
{
	size_t step = count / HELPERS_MOST + 1;
	struct series s = { .process = process,
			    .thread = MATCH_HELPERS,
			    .every = 1 };

	s.at = calloc(count + 1, sizeof(*s.at));
	if (!s.at)
		return -ENOMEM;
	for (size_t i = 0, end; i < p->moment_count; i = end) {
		end = thread_end(p, i);
		if (!has_records(p, p->moments[i].thread))
			add_helper(&s, p, i, end, step, nodes);
	}
	qsort(s.at, s.count, sizeof(*s.at), by_trace_point);
	thin_series(&s, (size_t)1 << events->thinned);
	return put_series(events, &s);
}

static int add_trace_points(struct matched_events *events,
			    const struct profile *p, uint32_t process,
			    const uint32_t *nodes)
{
	size_t helpers = 0;
	int err = 0;

	for (size_t i = 0, end; i < p->moment_count && !err; i = end) {
		end = thread_end(p, i);
		if (has_records(p, p->moments[i].thread))
			err = add_series(events, p, i, end, process, nodes);
		else
			helpers += end - i;
	}
	if (helpers && !err)
		err = add_helpers(events, p, helpers, process, nodes);
	return err;
}

static int add_source(struct matched_events *events, const struct profile *p,
		      uint32_t process)
{
	struct clock_source source = clock_source_of(&p->id, process);

	for (size_t i = 0; i < p->thread_count; i++)
		clock_source_reach(&source, p->threads[i].last_ns);
	return array_append(&events->sources, &events->source_count,
			    &events->source_room, sizeof(source), &source)
		       ? 0
		       : -ENOMEM;
}

static int gather_events(void *state, const struct gathered *one)
{
	struct matched_events *events = state;
	const struct profile *p = one->profile;
	uint32_t process = one->process;
	const uint32_t *nodes = one->nodes;
	int err = add_source(events, p, process);

	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

		if (t->level > events->level)
			raise_level(events, t->level < 64 ? t->level : 64);
	}
	events->joined.parts += p->part_count;
	for (size_t i = 0; i < p->part_count && !err; i++)
		if (is_level_wanted(events, p->parts[i].level))
			err = add_profile_record(events, p, &p->parts[i],
						 process, nodes);
	if (!err)
		err = add_trace_points(events, p, process, nodes);
	return err ? no_memory() : 0;
}

static void want_events(const void *state, bool *wanted)
{
	const struct matched_events *events = state;

	for (size_t i = 0; i < events->count; i++) {
		wanted[events->at[i].begin_node] = true;
		wanted[events->at[i].node] = true;
	}
	for (size_t i = 0; i < events->series_count; i++)
		for (size_t m = 0; m < events->series[i].count; m++)
			wanted[events->series[i].at[m].node] = true;
}

/*
 * The run's names.
 */

/* A function stands for its lines and loops, an MPI function for what it calls.
 */
static void fold_contexts(const struct run *run, uint32_t *fold)
{
	for (uint32_t i = 0; i < run->node_count; i++) {
		const struct run_node *n = &run->nodes[i];
		uint32_t above = i ? fold[n->parent] : 0;

		fold[i] = i && (run_is_part(n) ||
				run->nodes[above].kind == RUN_MPI)
				  ? above
				  : i;
	}
}

ORDER_BY(by_thread, struct series, ASC(process) ?: ASC(thread))

ORDER_BY(by_process, struct clock_source, ASC(process))

static void rename_series(struct matched_events *events, const uint32_t *order,
			  size_t members, const uint32_t *fold,
			  const uint32_t *became)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->series_count; i++) {
		struct series *s = &events->series[i];

		s->process = order[s->process];
		if (s->process >= members) {
			free(s->at);
			continue;
		}
		s->every *= (double)(1u << events->thinned);
		s->period_ns *= s->every;
		for (size_t m = 0; m < s->count; m++)
			s->at[m].node = fold[became[s->at[m].node]];
		events->series[kept++] = *s;
	}
	events->series_count = kept;
	if (kept)
		qsort(events->series, kept, sizeof(*events->series), by_thread);
}

static void rename_records(struct matched_events *events, const uint32_t *order,
			   size_t members, const uint32_t *fold,
			   const uint32_t *became)
{
	size_t kept = 0;

	for (size_t i = 0; i < events->count; i++) {
		struct event_record *p = &events->at[i];

		p->process = order[p->process];
		if (p->process >= members)
			continue;
		p->node = fold[became[p->node]];
		p->begin_node = fold[became[p->begin_node]];
		events->at[kept++] = *p;
	}
	events->count = kept;
}

/* Records of processes that are no members go. */
static int finish_events(void *state, struct run *run, const uint32_t *order,
			 const uint32_t *became)
{
	struct matched_events *events = state;
	uint32_t *fold = calloc(run->node_count + 1, sizeof(*fold));
	size_t kept = 0;

	if (!fold)
		return no_memory();
	fold_contexts(run, fold);
	rename_records(events, order, run->member_count, fold, became);
	rename_series(events, order, run->member_count, fold, became);
	free(fold);
	for (size_t i = 0; i < events->source_count; i++) {
		struct clock_source *source = &events->sources[i];

		source->process = order[source->process];
		if (source->process < run->member_count)
			events->sources[kept++] = *source;
	}
	events->source_count = kept;
	if (kept)
		qsort(events->sources, kept, sizeof(*events->sources),
		      by_process);
	return 0;
}

static int init_events(void *state)
{
	match_init(state, MATCH_RECORDS, MATCH_TRACE_POINTS);
	return 0;
}

static void fini_events(void *state)
{
	match_fini(state);
}

const struct gatherer gatherer_match_events = {
	.size = sizeof(struct matched_events),
	.init = init_events,
	.fini = fini_events,
	.add = gather_events,
	.wanted = want_events,
	.finish = finish_events,
};

/*
 * Matching.
 */

ORDER_BY(by_key, struct event_record,
	 ASC(key) ?: ASC(kind) ?: ASC(process) ?: ASC(thread) ?: ASC(enter))

/*
 * In order by the first byte of the key, in place; then those of each such byte
 * by themselves, by several threads.  Keys are hashes.
 */
enum {
	BUCKETS = 256
};

struct buckets {
	struct event_record *at;
	size_t first[BUCKETS + 1];
};

static size_t bucket_of(const struct event_record *event)
{
	return event->key >> 56;
}

static void exchange_records(struct event_record *a, struct event_record *b)
{
	struct event_record event = *a;

	*a = *b;
	*b = event;
}

static void fill_buckets(struct buckets *b, size_t count)
{
	size_t next[BUCKETS];

	for (size_t i = 0; i < count; i++)
		b->first[bucket_of(&b->at[i]) + 1]++;
	for (size_t i = 0; i < BUCKETS; i++) {
		b->first[i + 1] += b->first[i];
		next[i] = b->first[i];
	}
	for (size_t i = 0; i < BUCKETS; i++)
		while (next[i] < b->first[i + 1]) {
			size_t is = bucket_of(&b->at[next[i]]);

			if (is == i)
				next[i]++;
			else
				exchange_records(&b->at[next[i]],
						 &b->at[next[is]++]);
		}
}

static int sort_bucket(void *of, size_t i, void **item)
{
	const struct buckets *b = of;
	size_t count = b->first[i + 1] - b->first[i];

	*item = NULL;
	if (count)
		qsort(b->at + b->first[i], count, sizeof(*b->at), by_key);
	return 0;
}

static int visit_sorted(void *of, size_t i, void *item)
{
	(void)of;
	(void)i;
	(void)item;
	return 0;
}

static void sort_records(struct matched_events *events, unsigned int threads)
{
	struct buckets b = { .at = events->at };
	struct ordered_work work = { .count = BUCKETS,
				     .make = sort_bucket,
				     .take = visit_sorted,
				     .of = &b };

	fill_buckets(&b, events->count);
	ordered_pool_run(&work, threads); /* nothing in it fails */
}

size_t match_operation_end(const struct matched_events *events, size_t i)
{
	uint64_t key = events->at[i].key;

	while (i < events->count && events->at[i].key == key)
		i++;
	return i;
}

double match_weight(const struct matched_events *events,
		    const struct event_record *event)
{
	return event->level == UINT8_MAX ? 1 : ldexp(1, (int)events->level);
}

/* Sorted by kind: a message's sender comes before its receiver. */
static bool is_message(const struct run *run, const struct event_record *p)
{
	int32_t sender = run->ranks[p[0].process].rank;
	int32_t receiver = run->ranks[p[1].process].rank;

	return p[0].kind == LIVE_EVENT_SEND && p[1].kind == LIVE_EVENT_RECV &&
	       p[0].peer == receiver && p[1].peer == sender;
}

static bool agree_on_operation(const struct run *run,
			       const struct event_record *p, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (p[i].check != p->check || p[i].size != p->size)
			return false;
	if (p->kind <= LIVE_EVENT_RECV)
		return count == 2 && is_message(run, p);
	for (size_t i = 1; i < count; i++)
		if (p[i].kind != p->kind || p[i].peer != p->peer ||
		    p[i].process == p[i - 1].process)
			return false;
	return true;
}

void match_join(struct matched_events *events, const struct run *run)
{
	size_t kept = 0;

	if (events->count)
		sort_records(events, run->source ? run->source->threads : 1);
	for (size_t i = 0, end; i < events->count; i = end) {
		const struct event_record *p = &events->at[i];
		size_t count;

		end = match_operation_end(events, i);
		count = end - i;
		if (count < p->size) {
			events->joined.lacking++;
			continue;
		}
		if (count > p->size || !agree_on_operation(run, p, count)) {
			events->joined.disagreeing++;
			continue;
		}
		memmove(&events->at[kept], p, count * sizeof(*p));
		kept += count;
		events->joined.instances++;
	}
	events->count = kept;
	events->joined.level = events->level;
}

const struct series *match_series(const struct matched_events *events,
				  uint32_t process, uint32_t thread)
{
	struct series key = { .process = process, .thread = thread };

	if (!events->series_count)
		return NULL;
	return bsearch(&key, events->series, events->series_count, sizeof(key),
		       by_thread);
}
