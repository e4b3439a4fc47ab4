/* SPDX-License-Identifier: BSD-3-Clause */
/* recent-looks.c - see recent-looks.h. */
#include "analyse/compare/recent-looks.h"

#include <errno.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "analyse/mpi/mpi-time.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/values.h"

#define NS    1e9
#define APART 0.2 /* of the time: it is in MPI so much less than others */

static const char *const metrics_of_sums[RECENT_SUMS] = {
	[RECENT_CPU] = "cpu.time",       [RECENT_GPU] = "gpu.time",
	[RECENT_CALLS] = "mpi.calls",    [RECENT_READ] = "io.read",
	[RECENT_WRITTEN] = "io.written",
};

/* A metric of each rank; NULL with a reason: no memory. */
static double *sums_by_rank(const struct run *run, const char *name)
{
	const struct run_metric *m = run_metric(run, name);
	uint64_t *counts = calloc(run->rank_count + 1, sizeof(*counts));
	double *sums = calloc(run->rank_count + 1, sizeof(*sums));
	struct value_buffer buffer = { 0 };
	int err = counts && sums ? 0 : no_memory();

	for (size_t n = 0; m && n < run->node_count && !err; n++)
		err = values_add_up(run, m, n, &buffer, counts);
	for (size_t r = 0; r < run->rank_count && !err; r++)
		sums[r] = value_of(m ? m->unit : UNIT_COUNT, (double)counts[r]);
	value_buffer_fini(&buffer);
	free(counts);
	if (err) {
		free(sums);
		return NULL;
	}
	return sums;
}

static bool is_open_mpi(const struct run *run, const struct run_last_call *c)
{
	return c->open && run->nodes[c->node].kind == RUN_MPI;
}

/* Time in MPI of each rank until now; NULL with a reason: no memory. */
static double *mpi_by_rank(const struct run *run)
{
	double *sums = calloc(run->rank_count + 1, sizeof(*sums));
	double *open = calloc(run->rank_count + 1, sizeof(*open));
	struct mpi_time *times = mpi_times(run, 0);

	if (!sums || !open || !times) {
		free(sums);
		free(open);
		free(times);
		no_memory();
		return NULL;
	}
	for (size_t i = 0; i < run->ends.call_count; i++) {
		const struct run_last_call *c = &run->ends.calls[i];
		double age = (double)c->begin_age_ns / NS;

		if (is_open_mpi(run, c) && age > open[c->rank])
			open[c->rank] = age;
	}
	for (size_t r = 0; r < run->rank_count; r++)
		sums[r] = times[r].total + open[r];
	free(open);
	free(times);
	return sums;
}

static double *sum_by_rank(const struct run *run, enum recent_sum sum)
{
	return sum == RECENT_MPI ? mpi_by_rank(run)
				 : sums_by_rank(run, metrics_of_sums[sum]);
}

static bool is_process(const struct run *a, size_t i, const struct run *b,
		       size_t k)
{
	return a->ranks[i].pid == b->ranks[k].pid &&
	       a->ranks[i].start_real_ns == b->ranks[k].start_real_ns;
}

/* Its row before; rank_count: it was not there. */
static size_t row_before(const struct recent_looks *r, size_t row)
{
	if (row < r->before->rank_count &&
	    is_process(r->now, row, r->before, row))
		return row;
	for (size_t i = 0; i < r->before->rank_count; i++)
		if (is_process(r->now, row, r->before, i))
			return i;
	return r->before->rank_count;
}

static int take_recent_sum(struct recent_looks *r, enum recent_sum sum)
{
	double *before = sum_by_rank(r->before, sum);
	double *now = before ? sum_by_rank(r->now, sum) : NULL;

	for (size_t i = 0; i < r->count && now; i++) {
		size_t then = row_before(r, r->ranks[i].row);
		double was = then < r->before->rank_count ? before[then] : 0;
		double more = now[r->ranks[i].row] - was;

		r->ranks[i].sums[sum] = more > 0 ? more / r->seconds : 0;
		r->totals[sum] += now[r->ranks[i].row];
	}
	free(before);
	free(now);
	return now ? 0 : -ENOMEM;
}

/* Of two threads: the one in a call, the one that computed last. */
static bool tells_more(const struct run_last_call *a,
		       const struct run_last_call *b)
{
	if (a->open != b->open)
		return a->open;
	return a->open ? a->begin_age_ns > b->begin_age_ns
		       : a->sample_age_ns < b->sample_age_ns;
}

static void take_last_calls(struct recent_looks *r)
{
	for (size_t i = 0; i < r->now->ends.call_count; i++) {
		const struct run_last_call *c = &r->now->ends.calls[i];

		for (size_t k = 0; k < r->count; k++)
			if (r->ranks[k].row == c->rank &&
			    (!r->ranks[k].last ||
			     tells_more(c, r->ranks[k].last)))
				r->ranks[k].last = c;
	}
}

/* Who is in MPI least is waited for; or else who has most of the cores. */
ORDER_BY(by_being_waited_for, struct recent_rank,
	 ASC(sums[RECENT_MPI]) ?: DESC(sums[RECENT_CPU]) ?: ASC(row))

static int fill_looks(struct recent_looks *r)
{
	size_t count = r->now->member_count;
	int err = paths_init(&r->paths, r->now);

	if (err)
		return err;
	r->ranks = calloc(count + 1, sizeof(*r->ranks));
	if (!r->ranks)
		return no_memory();
	r->count = count;
	for (size_t i = 0; i < count; i++)
		r->ranks[i].row = (uint32_t)i;
	for (int s = 0; s < RECENT_SUMS && !err; s++)
		err = take_recent_sum(r, (enum recent_sum)s);
	take_last_calls(r);
	if (!err && count)
		qsort(r->ranks, count, sizeof(*r->ranks), by_being_waited_for);
	return err;
}

int recent_looks_init(struct recent_looks *r, const struct run *before,
		      const struct run *now, double seconds)
{
	int err;

	*r = (struct recent_looks){ .before = before,
				    .now = now,
				    .seconds = seconds };
	err = fill_looks(r);
	if (err)
		recent_looks_fini(r);
	return err;
}

void recent_looks_fini(struct recent_looks *r)
{
	paths_fini(&r->paths);
	free(r->ranks);
	*r = (struct recent_looks){ 0 };
}

double recent_in_mpi(const struct recent_rank *rank)
{
	return rank->sums[RECENT_MPI] < 1 ? rank->sums[RECENT_MPI] : 1;
}

bool recent_is_awaited(const struct recent_looks *r)
{
	return run_has_mpi(r->now) && r->count > 1 &&
	       recent_in_mpi(&r->ranks[r->count / 2]) >=
		       recent_in_mpi(&r->ranks[0]) + APART;
}

uint64_t recent_memory(const struct run *run, uint32_t row)
{
	const struct run_memory *m = &run->memory;
	uint64_t held = 0;

	for (size_t i = 0; i < m->reading_count; i++)
		if (m->readings[i].rank == row)
			held = m->readings[i].resident;
	return held;
}
