/* SPDX-License-Identifier: BSD-3-Clause */
/* recent-summary.c - see recent-summary.h. */
#include "analyse/compare/recent-summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "analyse/ends/ends.h"
#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"

#define NS 1e9

/* "MPI_Recv ← get ← main"; to be freed; NULL: not known, or no memory. */
static char *doing_now(const struct recent_looks *r,
		       const struct recent_rank *rank)
{
	const struct run_last_call *c = rank->last;
	uint32_t node = c ? c->open ? c->node : c->sample_node : 0;

	return node ? ends_where(&r->paths, node) : NULL;
}

static bool add_recent_row(struct recent_summary *to,
			   const struct recent_looks *r,
			   const struct recent_rank *rank)
{
	const char *host =
		str_at(&r->now->strings, r->now->ranks[rank->row].host);
	double in_mpi = recent_in_mpi(rank);
	struct recent_row row = {
		.number = processes_number(r->now, rank->row),
		.age = rank->last && rank->last->open
			       ? (double)rank->last->begin_age_ns / NS
			       : NO_VALUE,
		.memory = recent_memory(r->now, rank->row),
		.there = NO_VALUE,
		.host = strdup(host ? host : ""),
		.doing = doing_now(r, rank),
	};
	int part = (int)(in_mpi * RECENT_PARTS);

	memcpy(row.sums, rank->sums, sizeof(row.sums));
	row.sums[RECENT_MPI] = in_mpi;
	for (int s = 0; s < RECENT_SUMS; s++)
		to->sums[s] += row.sums[s];
	to->in_mpi[part < RECENT_PARTS ? part : RECENT_PARTS - 1]++;
	if (row.host && array_append(&to->rows, &to->row_count, &to->row_room,
				     sizeof(row), &row))
		return true;
	free(row.host);
	free(row.doing);
	return false;
}

static bool is_chosen_rank(const struct recent_choice *only,
			   const struct run *run, uint32_t row)
{
	return !only->one || processes_number(run, row) == only->rank;
}

int recent_summarise(struct recent_summary *to, const struct run *before,
		     const struct run *now, double seconds,
		     const struct recent_choice *only)
{
	struct recent_looks r;
	int err = recent_looks_init(&r, before, now, seconds);

	*to = (struct recent_summary){ .hosts = 1,
				       .world = now->world,
				       .has_mpi = run_has_mpi(now),
				       .seconds = seconds,
				       .one = only->one };
	if (err)
		return err;
	to->command = strdup(processes_command(now));
	if (!to->command)
		err = no_memory();
	for (size_t i = 0; i < r.count && !err; i++)
		if (is_chosen_rank(only, now, r.ranks[i].row) &&
		    !add_recent_row(to, &r, &r.ranks[i]))
			err = no_memory();
	recent_looks_fini(&r);
	to->processes = to->row_count;
	if (!err)
		err = recent_paths_add(to, before, now, only);
	if (!err)
		recent_summary_sort(to);
	return err;
}

/*
 * Several hosts.
 */

static bool take_recent_path(struct recent_summary *to, struct recent_path *p)
{
	char *text = p->text;

	p->text = NULL;
	for (size_t i = 0; i < to->path_count; i++)
		if (!strcmp(to->paths[i].text, text)) {
			to->paths[i].seconds += p->seconds;
			free(text);
			return true;
		}
	return recent_path_add(to, p->seconds, text);
}

static void add_recent_sums(struct recent_summary *to,
			    const struct recent_summary *from)
{
	to->hosts += from->hosts;
	to->processes += from->processes;
	to->has_mpi |= from->has_mpi;
	to->path_seconds += from->path_seconds;
	if (from->world > to->world)
		to->world = from->world;
	if (from->seconds > to->seconds)
		to->seconds = from->seconds;
	for (int s = 0; s < RECENT_SUMS; s++)
		to->sums[s] += from->sums[s];
	for (int p = 0; p < RECENT_PARTS; p++)
		to->in_mpi[p] += from->in_mpi[p];
}

int recent_summary_add(struct recent_summary *to, struct recent_summary *from)
{
	bool good = true;

	add_recent_sums(to, from);
	if (!to->command) {
		to->command = from->command;
		from->command = NULL;
	}
	for (size_t i = 0; i < from->row_count && good; i++) {
		good = array_append(&to->rows, &to->row_count, &to->row_room,
				    sizeof(*to->rows), &from->rows[i]);
		if (good)
			from->rows[i] = (struct recent_row){ 0 };
	}
	for (size_t i = 0; i < from->path_count && good; i++)
		good = take_recent_path(to, &from->paths[i]);
	recent_summary_fini(from);
	return good ? 0 : -ENOMEM;
}

/* Who is in MPI least is waited for; or else who has most of the cores. */
ORDER_BY(by_waiting_for, struct recent_row,
	 DESC(there) ?: ASC(sums[RECENT_MPI]) ?: DESC(sums[RECENT_CPU])
		     ?: ASC(number))
ORDER_BY(by_recent_seconds, struct recent_path, DESC(seconds))

void recent_summary_sort(struct recent_summary *s)
{
	if (s->row_count)
		qsort(s->rows, s->row_count, sizeof(*s->rows), by_waiting_for);
	if (s->path_count)
		qsort(s->paths, s->path_count, sizeof(*s->paths),
		      by_recent_seconds);
}

double recent_half_in_mpi(const struct recent_summary *s)
{
	uint64_t all = 0, more = 0;
	int part = RECENT_PARTS;

	for (int p = 0; p < RECENT_PARTS; p++)
		all += s->in_mpi[p];
	while (part > 0 && 2 * more < all)
		more += s->in_mpi[--part];
	return (double)part / RECENT_PARTS;
}

void recent_summary_fini(struct recent_summary *s)
{
	for (size_t i = 0; i < s->row_count; i++) {
		free(s->rows[i].host);
		free(s->rows[i].doing);
	}
	for (size_t i = 0; i < s->path_count; i++)
		free(s->paths[i].text);
	free(s->rows);
	free(s->paths);
	free(s->command);
	*s = (struct recent_summary){ 0 };
}
