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

void match_init(struct matched_events *parts, size_t bytes, size_t point_bytes)
{
	*parts = (struct matched_events){
		.most = bytes / sizeof(struct event_record),
		.most_points = point_bytes / sizeof(struct trace_point),
	};
}

void match_fini(struct matched_events *parts)
{
	for (size_t i = 0; i < parts->series_count; i++)
		free(parts->series[i].at);
	free(parts->series);
	free(parts->sources);
	free(parts->at);
	*parts = (struct matched_events){ 0 };
}

/*
 * Collecting.
 */

static void raise_level(struct matched_events *parts, uint32_t level)
{
	size_t kept = 0;

	parts->level = level;
	for (size_t i = 0; i < parts->count; i++)
		if (parts->at[i].level >= level)
			parts->at[kept++] = parts->at[i];
	parts->count = kept;
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
static bool all_meet(const struct profile *p, const struct profile_part *part)
{
	static const char *const names[] = {
		"MPI_Allreduce",  "MPI_Allgather",  "MPI_Alltoall",
		"MPI_Iallreduce", "MPI_Iallgather", "MPI_Ialltoall",
	};
	if (part->kind == LIVE_PART_BARRIER)
		return true;
	if (part->kind <= LIVE_PART_RECV)
		return !is_call_named(p, part->begin_node, "MPI_Win_post");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (part->kind == LIVE_PART_ALL &&
		    is_call_named(p, part->begin_node, names[i]))
			return true;
	return false;
}

/* A record of an epoch's end: nothing in MPI waits for its receiver. */
static bool is_one_way(const struct profile *p, const struct profile_part *part)
{
	return part->kind == LIVE_PART_SEND &&
	       (is_call_named(p, part->begin_node, "MPI_Win_post") ||
		is_call_named(p, part->begin_node, "MPI_Win_complete"));
}

/* Said before anything is found out about it: in a large job, of most. */
static bool is_level_wanted(const struct matched_events *parts, uint32_t level)
{
	return (uint8_t)level >= parts->level;
}

static int put_event_record(struct matched_events *parts,
			    const struct event_record *part)
{
	while (part->level >= parts->level && parts->count >= parts->most &&
	       parts->level < 64)
		raise_level(parts, parts->level + 1);
	if (part->level < parts->level)
		return 0;
	return array_append(&parts->at, &parts->count, &parts->room,
			    sizeof(*part), part)
		       ? 0
		       : -ENOMEM;
}

static int add_profile_record(struct matched_events *parts,
			      const struct profile *p,
			      const struct profile_part *from, uint32_t process,
			      const uint32_t *nodes)
{
	struct event_record part = {
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
		.meets = all_meet(p, from),
		.one_way = is_one_way(p, from),
	};

	return put_event_record(parts, &part);
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

static void thin(struct matched_events *parts)
{
	parts->thinned++;
	parts->point_count = 0;
	for (size_t i = 0; i < parts->series_count; i++) {
		struct series *s = &parts->series[i];

		thin_series(s, 2);
		parts->point_count += s->count;
	}
}

/* Takes the points, which are thinned as the others are. */
static int put_series(struct matched_events *parts, const struct series *s)
{
	if (!array_append(&parts->series, &parts->series_count,
			  &parts->series_room, sizeof(*s), s)) {
		free(s->at);
		return -ENOMEM;
	}
	parts->point_count += s->count;
	while (parts->point_count > parts->most_points && parts->thinned < 32)
		thin(parts);
	return 0;
}

enum {
	HELPERS_MOST = 1024 /* points, about: of all of a process's */
};

/* Moments from..to - 1 of the profile are of one thread. */
static int add_series(struct matched_events *parts, const struct profile *p,
		      size_t from, size_t to, uint32_t process,
		      const uint32_t *nodes)
{
	const struct profile_thread *t = &p->threads[p->moments[from].thread];
	size_t step = (size_t)1 << parts->thinned;
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
	return put_series(parts, &s);
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
static int add_helpers(struct matched_events *parts, const struct profile *p,
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
	thin_series(&s, (size_t)1 << parts->thinned);
	return put_series(parts, &s);
}

static int add_trace_points(struct matched_events *parts,
			    const struct profile *p, uint32_t process,
			    const uint32_t *nodes)
{
	size_t helpers = 0;
	int err = 0;

	for (size_t i = 0, end; i < p->moment_count && !err; i = end) {
		end = thread_end(p, i);
		if (has_records(p, p->moments[i].thread))
			err = add_series(parts, p, i, end, process, nodes);
		else
			helpers += end - i;
	}
	if (helpers && !err)
		err = add_helpers(parts, p, helpers, process, nodes);
	return err;
}

static int add_source(struct matched_events *parts, const struct profile *p,
		      uint32_t process)
{
	struct clock_source source = clock_source_of(&p->id, process);

	for (size_t i = 0; i < p->thread_count; i++)
		clock_source_reach(&source, p->threads[i].last_ns);
	return array_append(&parts->sources, &parts->source_count,
			    &parts->source_room, sizeof(source), &source)
		       ? 0
		       : -ENOMEM;
}

static int gather_events(void *state, const struct gathered *one)
{
	struct matched_events *parts = state;
	const struct profile *p = one->profile;
	uint32_t process = one->process;
	const uint32_t *nodes = one->nodes;
	int err = add_source(parts, p, process);

	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

		if (t->level > parts->level)
			raise_level(parts, t->level < 64 ? t->level : 64);
	}
	parts->joined.parts += p->part_count;
	for (size_t i = 0; i < p->part_count && !err; i++)
		if (is_level_wanted(parts, p->parts[i].level))
			err = add_profile_record(parts, p, &p->parts[i],
						 process, nodes);
	if (!err)
		err = add_trace_points(parts, p, process, nodes);
	return err ? no_memory() : 0;
}

static void want_events(const void *state, bool *wanted)
{
	const struct matched_events *parts = state;

	for (size_t i = 0; i < parts->count; i++) {
		wanted[parts->at[i].begin_node] = true;
		wanted[parts->at[i].node] = true;
	}
	for (size_t i = 0; i < parts->series_count; i++)
		for (size_t m = 0; m < parts->series[i].count; m++)
			wanted[parts->series[i].at[m].node] = true;
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

static void rename_series(struct matched_events *parts, const uint32_t *order,
			  size_t members, const uint32_t *fold,
			  const uint32_t *became)
{
	size_t kept = 0;

	for (size_t i = 0; i < parts->series_count; i++) {
		struct series *s = &parts->series[i];

		s->process = order[s->process];
		if (s->process >= members) {
			free(s->at);
			continue;
		}
		s->every *= (double)(1u << parts->thinned);
		s->period_ns *= s->every;
		for (size_t m = 0; m < s->count; m++)
			s->at[m].node = fold[became[s->at[m].node]];
		parts->series[kept++] = *s;
	}
	parts->series_count = kept;
	if (kept)
		qsort(parts->series, kept, sizeof(*parts->series), by_thread);
}

static void rename_records(struct matched_events *parts, const uint32_t *order,
			   size_t members, const uint32_t *fold,
			   const uint32_t *became)
{
	size_t kept = 0;

	for (size_t i = 0; i < parts->count; i++) {
		struct event_record *p = &parts->at[i];

		p->process = order[p->process];
		if (p->process >= members)
			continue;
		p->node = fold[became[p->node]];
		p->begin_node = fold[became[p->begin_node]];
		parts->at[kept++] = *p;
	}
	parts->count = kept;
}

/* Records of processes that are no members go. */
static int finish_events(void *state, struct run *run, const uint32_t *order,
			 const uint32_t *became)
{
	struct matched_events *parts = state;
	uint32_t *fold = calloc(run->node_count + 1, sizeof(*fold));
	size_t kept = 0;

	if (!fold)
		return no_memory();
	fold_contexts(run, fold);
	rename_records(parts, order, run->member_count, fold, became);
	rename_series(parts, order, run->member_count, fold, became);
	free(fold);
	for (size_t i = 0; i < parts->source_count; i++) {
		struct clock_source *source = &parts->sources[i];

		source->process = order[source->process];
		if (source->process < run->member_count)
			parts->sources[kept++] = *source;
	}
	parts->source_count = kept;
	if (kept)
		qsort(parts->sources, kept, sizeof(*parts->sources),
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

static size_t bucket_of(const struct event_record *part)
{
	return part->key >> 56;
}

static void exchange(struct event_record *a, struct event_record *b)
{
	struct event_record part = *a;

	*a = *b;
	*b = part;
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
				exchange(&b->at[next[i]], &b->at[next[is]++]);
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

static int sorted(void *of, size_t i, void *item)
{
	(void)of;
	(void)i;
	(void)item;
	return 0;
}

static void sort_records(struct matched_events *parts, unsigned int threads)
{
	struct buckets b = { .at = parts->at };
	struct ordered_work work = {
		.count = BUCKETS, .make = sort_bucket, .take = sorted, .of = &b
	};

	fill_buckets(&b, parts->count);
	ordered_pool_run(&work, threads); /* nothing in it fails */
}

size_t match_operation_end(const struct matched_events *parts, size_t i)
{
	uint64_t key = parts->at[i].key;

	while (i < parts->count && parts->at[i].key == key)
		i++;
	return i;
}

double match_weight(const struct matched_events *parts,
		    const struct event_record *part)
{
	return part->level == UINT8_MAX ? 1 : ldexp(1, (int)parts->level);
}

/* Sorted by kind: a message's sender comes before its receiver. */
static bool is_message(const struct run *run, const struct event_record *p)
{
	int32_t sender = run->ranks[p[0].process].rank;
	int32_t receiver = run->ranks[p[1].process].rank;

	return p[0].kind == LIVE_PART_SEND && p[1].kind == LIVE_PART_RECV &&
	       p[0].peer == receiver && p[1].peer == sender;
}

static bool agree_on_operation(const struct run *run,
			       const struct event_record *p, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (p[i].check != p->check || p[i].size != p->size)
			return false;
	if (p->kind <= LIVE_PART_RECV)
		return count == 2 && is_message(run, p);
	for (size_t i = 1; i < count; i++)
		if (p[i].kind != p->kind || p[i].peer != p->peer ||
		    p[i].process == p[i - 1].process)
			return false;
	return true;
}

void match_join(struct matched_events *parts, const struct run *run)
{
	size_t kept = 0;

	if (parts->count)
		sort_records(parts, run->source ? run->source->threads : 1);
	for (size_t i = 0, end; i < parts->count; i = end) {
		const struct event_record *p = &parts->at[i];
		size_t count;

		end = match_operation_end(parts, i);
		count = end - i;
		if (count < p->size) {
			parts->joined.lacking++;
			continue;
		}
		if (count > p->size || !agree_on_operation(run, p, count)) {
			parts->joined.disagreeing++;
			continue;
		}
		memmove(&parts->at[kept], p, count * sizeof(*p));
		kept += count;
		parts->joined.instances++;
	}
	parts->count = kept;
	parts->joined.level = parts->level;
}

const struct series *match_series(const struct matched_events *parts,
				  uint32_t process, uint32_t thread)
{
	struct series key = { .process = process, .thread = thread };

	if (!parts->series_count)
		return NULL;
	return bsearch(&key, parts->series, parts->series_count, sizeof(key),
		       by_thread);
}
