/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-strips.c - see thread-waits.h. */
#include "analyse/threads/thread-waits.h"

#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/err.h"

const struct thread_part_name thread_part_names[THREAD_PARTS] = {
	[THREAD_WORK] = { "work", "in regions" },
	[THREAD_ELSE] = { "else", "else" },
	[THREAD_END] = { "end_wait", "end wait" },
	[THREAD_BARRIER] = { "barrier_wait", "in barriers" },
	[THREAD_LOCK] = { "lock_wait", "for locks" },
	[THREAD_GIL] = { "gil_wait", "for GIL" },
	[THREAD_IDLE] = { "idle", "idle" },
};

static uint64_t time_left_of(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/*
 * Waits for locks may be in a region or not; a thread that only takes part in
 * regions of others is idle between them.
 */
void thread_parts(uint64_t to[THREAD_PARTS], const struct run_thread *t)
{
	uint64_t in_region = t->work_ns + t->barrier_ns + t->end_ns;
	uint64_t waited = t->lock_ns + t->idle_ns + t->gil_ns;
	uint64_t rest = time_left_of(t->elapsed_ns, in_region + waited);

	to[THREAD_WORK] = t->work_ns;
	to[THREAD_ELSE] = t->member ? 0 : rest;
	to[THREAD_END] = t->end_ns;
	to[THREAD_BARRIER] = t->barrier_ns;
	to[THREAD_LOCK] = t->lock_ns;
	to[THREAD_GIL] = t->gil_ns;
	to[THREAD_IDLE] = t->idle_ns + (t->member ? rest : 0);
}

struct thread_strip { /* of the threads of a process */
	const struct run_thread *first;
	size_t count;
	uint64_t parts[THREAD_PARTS], elapsed;
	double *busy; /* of each thread, seconds */
};

static int make_strip(struct thread_strip *s, const struct run_thread *first,
		      const struct run_thread *end)
{
	*s = (struct thread_strip){ .first = first };
	while (first + s->count < end && first[s->count].rank == first->rank)
		s->count++;
	s->busy = calloc(s->count, sizeof(*s->busy));
	if (!s->busy)
		return no_memory();
	for (size_t i = 0; i < s->count; i++) {
		uint64_t parts[THREAD_PARTS];

		thread_parts(parts, &first[i]);
		for (int p = 0; p < THREAD_PARTS; p++)
			s->parts[p] += parts[p];
		s->elapsed += first[i].elapsed_ns;
		s->busy[i] =
			(double)(parts[THREAD_WORK] + parts[THREAD_ELSE]) / 1e9;
	}
	return 0;
}

static void put_process_strip(struct report *report, const struct run *run,
			      uint32_t rank)
{
	const struct run_rank *r = &run->ranks[rank];

	value_count(report, r->rank >= 0 ? r->rank : NO_VALUE);
	report_count(report, r->pid);
}

static void strip_process_columns(struct report *report, const struct run *run,
				  bool shown)
{
	report_column(report, "rank", shown && run->world ? "rank" : NULL,
		      COLUMN_COUNT);
	report_column(report, "pid", shown && !run->world ? "process" : NULL,
		      COLUMN_COUNT);
}

/* Parts that no thread has are for programs. */
static void thread_strip_columns(struct report *report, const struct run *run)
{
	const struct run_threads *t = &run->threads;
	uint64_t sums[THREAD_PARTS] = { 0 };

	for (size_t i = 0; i < t->row_count; i++) {
		uint64_t parts[THREAD_PARTS];

		thread_parts(parts, &t->rows[i]);
		for (int p = 0; p < THREAD_PARTS; p++)
			sums[p] += parts[p];
	}
	report_table(report, "strips",
		     t->row_count ? "threads of each process, shares of their "
				    "time"
				  : NULL);
	strip_process_columns(report, run, true);
	report_column(report, "threads", "threads", COLUMN_COUNT);
	report_column(report, "elapsed", "thread time", COLUMN_SECONDS);
	for (int p = 0; p < THREAD_PARTS; p++)
		report_column(report, thread_part_names[p].id,
			      sums[p] ? thread_part_names[p].title : NULL,
			      COLUMN_SHARE);
	report_column(report, NULL, "busy, by thread", COLUMN_SPARK);
}

static void put_strip(struct report *report, const struct run *run,
		      const struct thread_strip *s)
{
	put_process_strip(report, run, s->first->rank);
	report_count(report, s->count);
	report_number(report, (double)s->elapsed / 1e9);
	for (int p = 0; p < THREAD_PARTS; p++)
		report_number(report, value_ratio((double)s->parts[p],
						  (double)s->elapsed));
	report_spark(report, s->busy, s->count);
}

static int put_strips(struct report *report, const struct run *run,
		      size_t limit)
{
	const struct run_threads *t = &run->threads;
	int err = 0;

	thread_strip_columns(report, run);
	for (size_t i = 0, n = 0; i < t->row_count && n < limit && !err; n++) {
		struct thread_strip s;

		err = make_strip(&s, &t->rows[i], &t->rows[t->row_count]);
		if (!err)
			put_strip(report, run, &s);
		free(s.busy);
		i += s.count;
	}
	return err;
}

static void put_threads(struct report *report, const struct run *run)
{
	report_table(report, "threads", NULL);
	strip_process_columns(report, run, false);
	report_column(report, "thread", NULL, COLUMN_COUNT);
	report_column(report, "name", NULL, COLUMN_TEXT);
	report_column(report, "elapsed", NULL, COLUMN_SECONDS);
	for (int p = 0; p < THREAD_PARTS; p++)
		report_column(report, thread_part_names[p].id, NULL,
			      COLUMN_SECONDS);
	for (size_t i = 0; i < run->threads.row_count; i++) {
		const struct run_thread *t = &run->threads.rows[i];
		uint64_t parts[THREAD_PARTS];

		thread_parts(parts, t);
		put_process_strip(report, run, t->rank);
		report_count(report, t->thread);
		report_text(report, str_at(&run->strings, t->name));
		report_number(report, (double)t->elapsed_ns / 1e9);
		for (int p = 0; p < THREAD_PARTS; p++)
			report_number(report, (double)parts[p] / 1e9);
	}
}

int thread_strips_put(struct report *report, const struct run *run,
		      size_t limit)
{
	int err = put_strips(report, run, limit);

	if (!err)
		put_threads(report, run);
	return err;
}
