/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-threads.c - what threads did with their time, for a page: of each thread
 * of a process, or the sums of those with the same place in processes that are
 * neighbours.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/threads/thread-waits.h"
#include "base/err.h"
#include "format/page/page-parts.h"

enum {
	LINES_MOST = 4096
};

struct thread_line {
	uint32_t first, count; /* rows of ranks */
	uint32_t place;        /* of the thread, in its process */
	uint32_t threads, name;
	uint64_t parts[THREAD_PARTS];
};

struct thread_lines {
	const struct run *run;
	struct thread_line *at;
	size_t count;
	size_t *row_of; /* by rank, its first row of threads; and one more */
};

static void find_rows_of_ranks(struct thread_lines *l)
{
	const struct run_threads *t = &l->run->threads;
	size_t row = 0;

	for (size_t rank = 0; rank < l->run->rank_count; rank++) {
		l->row_of[rank] = row;
		while (row < t->row_count && t->rows[row].rank == rank)
			row++;
	}
	l->row_of[l->run->rank_count] = row;
}

/* The lines of these ranks, as many as one of them has threads. */
static void add_thread_lines(struct thread_lines *l, uint32_t first,
			     uint32_t count)
{
	struct thread_line *lines = &l->at[l->count];

	for (uint32_t rank = first; rank < first + count; rank++)
		for (size_t i = l->row_of[rank]; i < l->row_of[rank + 1]; i++) {
			const struct run_thread *t = &l->run->threads.rows[i];
			uint32_t place = (uint32_t)(i - l->row_of[rank]);
			struct thread_line *to = &lines[place];
			uint64_t parts[THREAD_PARTS];

			if (!to->threads++) {
				*to = (struct thread_line){ first,   count,
							    place,   1,
							    t->name, { 0 } };
				l->count++;
			}
			thread_parts(parts, t);
			for (int p = 0; p < THREAD_PARTS; p++)
				to->parts[p] += parts[p];
		}
}

static size_t most_threads(const struct thread_lines *l)
{
	size_t most = 1;

	for (size_t r = 0; r < l->run->rank_count; r++)
		if (l->row_of[r + 1] - l->row_of[r] > most)
			most = l->row_of[r + 1] - l->row_of[r];
	return most;
}

/* Of several groups together where they have too many threads for one each. */
static void add_all_lines(struct thread_lines *l,
			  const struct rank_groups *groups)
{
	size_t each = 1 + groups->count * most_threads(l) / (LINES_MOST + 1);

	for (size_t g = 0; g < groups->count; g += each) {
		size_t last =
			g + each < groups->count ? g + each : groups->count;
		const struct rank_group *end = &groups->at[last - 1];

		add_thread_lines(l, groups->at[g].first,
				 end->first + end->count - groups->at[g].first);
	}
}

static void put_thread_lines(struct page_stream *s,
			     const struct thread_lines *l,
			     struct page_strings *t)
{
	const struct thread_line *at = l->at;
	size_t count = l->count;

	PAGE_COLUMN(s, "thread.first", PAGE_DELTA, count, at[i].first);
	PAGE_COLUMN(s, "thread.count", PAGE_VARINT, count, at[i].count);
	PAGE_COLUMN(s, "thread.place", PAGE_VARINT, count, at[i].place);
	PAGE_COLUMN(s, "thread.threads", PAGE_VARINT, count, at[i].threads);
	PAGE_COLUMN(s, "thread.name", PAGE_VARINT, count,
		    page_string(t, at[i].name));
	for (int p = 0; p < THREAD_PARTS; p++) {
		char name[32];

		snprintf(name, sizeof(name), "thread.%s",
			 thread_part_names[p].id);
		PAGE_COLUMN(s, name, PAGE_VARINT, count, at[i].parts[p] / 1000);
	}
}

int page_put_threads(struct page_stream *s, const struct overview *o,
		     struct page_strings *t)
{
	struct thread_lines l = { .run = o->run };
	size_t rows = o->run->threads.row_count;
	int err = 0;

	if (!rows)
		return 0;
	/* There are no more lines than threads. */
	l.at = calloc(rows, sizeof(*l.at));
	l.row_of = calloc(o->run->rank_count + 1, sizeof(*l.row_of));
	if (l.at && l.row_of) {
		find_rows_of_ranks(&l);
		add_all_lines(&l, &o->groups);
		put_thread_lines(s, &l, t);
	} else {
		err = no_memory();
	}
	free(l.at);
	free(l.row_of);
	return err;
}
