/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-times.c - what each thread of a process did with its time: rows of
 * run->threads.
 *
 * Regions   A thread's share of a region's elapsed time, which the master has
 *           counted for all members, is that of each thread that took part.
 *           What of it is neither work nor waiting within was waited at the
 *           end.  What is in an inner region is in the outer one's work, too,
 *           and counts once.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/comparison.h"
#include "base/err.h"
#include "merge/run-processes.h"
#include "merge/thread-count.h"
#include "run/gatherer.h"

struct thread_times {
	size_t count;
	struct run_thread rows[]; /* without rank and name */
};

struct team_node {
	uint32_t region;  /* the innermost one that it is in; 0: none */
	uint32_t members; /* of a region: threads that took part, and … */
	uint64_t ns;      /* … its elapsed time, times those */
};

struct thread_row {
	struct run_thread to;
	uint64_t inside; /* waits for locks and others in regions */
	bool begins;     /* a region that is in no other of the thread's */
};

struct thread_sums {
	const struct profile *p;
	const struct profile_column *time, *work, *barrier, *held, *lock, *idle;
	struct team_node *nodes;
	struct thread_row *rows; /* one for each thread of the profile */
};

static uint64_t value_of_thread(const struct profile_column *c, uint32_t node,
				uint32_t thread)
{
	size_t low = 0, high = c ? c->count : 0;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct profile_value *v = &c->values[mid];

		if (v->node == node && v->thread == thread)
			return v->value;
		if (v->node < node || (v->node == node && v->thread < thread))
			low = mid + 1;
		else
			high = mid;
	}
	return 0;
}

static void find_teams(struct thread_sums *s)
{
	for (uint32_t i = 1; i < s->p->node_count; i++) {
		uint32_t parent = s->p->nodes[i].parent;
		bool in = s->p->nodes[parent].kind == NODE_REGION;

		s->nodes[i].region = in ? parent : s->nodes[parent].region;
	}
	for (size_t i = 0; s->time && i < s->time->count; i++)
		s->nodes[s->time->values[i].node].ns +=
			s->time->values[i].value;
	for (size_t i = 0; s->work && i < s->work->count; i++)
		s->nodes[s->work->values[i].node].members++;
}

/* It is in no other region in which the thread takes part. */
static bool is_outer_part(const struct thread_sums *s, uint32_t node,
			  uint32_t thread)
{
	for (uint32_t up = s->nodes[node].region; up; up = s->nodes[up].region)
		if (value_of_thread(s->work, up, thread))
			return false;
	return true;
}

static void add_part(struct thread_sums *s, const struct profile_value *work)
{
	const struct team_node *team = &s->nodes[work->node];
	struct thread_row *row = &s->rows[work->thread];
	uint64_t elapsed = team->ns / team->members;
	uint64_t barrier =
		value_of_thread(s->barrier, work->node, work->thread);
	uint64_t held = value_of_thread(s->held, work->node, work->thread);
	uint64_t known = work->value + barrier + held;

	row->to.barrier_ns += barrier;
	row->to.end_ns += elapsed > known ? elapsed - known : 0;
	if (!is_outer_part(s, work->node, work->thread))
		return;
	row->to.region_ns += elapsed > known ? elapsed : known;
	row->begins |= value_of_thread(s->time, work->node, work->thread) > 0;
}

static void add_lock_waits(struct thread_sums *s,
			   const struct profile_column *c, bool idle)
{
	for (size_t i = 0; c && i < c->count; i++) {
		const struct profile_value *v = &c->values[i];
		struct thread_row *row = &s->rows[v->thread];

		if (idle)
			row->to.idle_ns += v->value;
		else
			row->to.lock_ns += v->value;
		if (s->nodes[v->node].region)
			row->inside += v->value;
	}
}

static void finish_row(struct thread_sums *s, uint32_t thread, uint64_t end)
{
	const struct profile_thread *t = &s->p->threads[thread];
	struct thread_row *row = &s->rows[thread];
	struct run_thread *to = &row->to;
	uint64_t waits = to->barrier_ns + to->end_ns + row->inside;
	uint64_t last = t->ended ? t->last_ns : end;

	to->thread = thread;
	to->member = to->region_ns && !row->begins;
	to->elapsed_ns = last > t->first_ns ? last - t->first_ns : 0;
	to->work_ns = to->region_ns > waits ? to->region_ns - waits : 0;
	to->gil_ns = t->gil_wait_ns;
}

/* The rows of threads that are not MPI's own. */
static struct thread_times *keep_rows(const struct thread_sums *s)
{
	size_t count = s->p->thread_count;
	bool *counted = threads_counted(s->p);
	struct thread_times *to =
		counted ? calloc(1, sizeof(*to) + count * sizeof(*to->rows))
			: NULL;

	for (size_t i = 0; to && i < count; i++)
		if (counted[i] && s->rows[i].to.elapsed_ns)
			to->rows[to->count++] = s->rows[i].to;
	free(counted);
	return to;
}

/* NULL: out of memory. */
static struct thread_times *sum_threads(struct thread_sums *s)
{
	const struct profile *p = s->p;
	uint64_t end = process_end(p);

	s->nodes = calloc(p->node_count + 1, sizeof(*s->nodes));
	s->rows = calloc(p->thread_count + 1, sizeof(*s->rows));
	if (!s->nodes || !s->rows)
		return NULL;
	find_teams(s);
	for (size_t i = 0; s->work && i < s->work->count; i++)
		add_part(s, &s->work->values[i]);
	add_lock_waits(s, s->lock, false);
	add_lock_waits(s, s->idle, true);
	for (uint32_t i = 0; i < p->thread_count; i++)
		finish_row(s, i, end);
	return keep_rows(s);
}

static bool waits_for_gil(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].gil_wait_ns)
			return true;
	return false;
}

/* Nothing is found where nothing is known of such waits. */
static int find_thread_times(void **found, const struct profile *p)
{
	struct thread_sums s = { .p = p,
				 .time = profile_column(p, "omp.time"),
				 .work = profile_column(p, "omp.work"),
				 .barrier = profile_column(p, "omp.barrier"),
				 .held = profile_column(p, "omp.lock"),
				 .lock = profile_column(p, "lock.wait"),
				 .idle = profile_column(p, "sync.wait") };

	if (!s.work && !s.lock && !s.idle && !waits_for_gil(p))
		return 0;
	*found = sum_threads(&s);
	free(s.nodes);
	free(s.rows);
	return *found ? 0 : no_memory();
}

static int gather_thread_times(void *state, const struct gathered *one)
{
	const struct thread_times *times = one->found;
	struct run_threads *to = &one->run->threads;
	struct run_thread *rows;

	(void)state;
	if (!times || !times->count)
		return 0;
	rows = reallocarray(to->rows, to->row_count + times->count,
			    sizeof(*rows));
	if (!rows)
		return no_memory();
	to->rows = rows;
	for (size_t i = 0; i < times->count; i++) {
		struct run_thread row = times->rows[i];

		row.rank = one->process;
		row.name = str_add(&one->run->strings,
				   one->profile->threads[row.thread].name);
		if (row.name == STR_NONE)
			return no_memory();
		rows[to->row_count++] = row;
	}
	return 0;
}

ORDER_BY(by_thread_rank, struct run_thread, ASC(rank) ?: ASC(thread))

static int finish_thread_times(void *state, struct run *run,
			       const uint32_t *order, const uint32_t *became)
{
	struct run_threads *threads = &run->threads;

	(void)state;
	(void)became;
	for (size_t i = 0; i < threads->row_count; i++)
		threads->rows[i].rank = order[threads->rows[i].rank];
	if (threads->row_count)
		qsort(threads->rows, threads->row_count, sizeof(*threads->rows),
		      by_thread_rank);
	return 0;
}

const struct gatherer gatherer_thread_times = { .look = find_thread_times,
						.add = gather_thread_times,
						.finish = finish_thread_times };
