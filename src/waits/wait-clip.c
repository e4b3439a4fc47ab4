/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait-clip.c - what was estimated is not more than what can be.
 *
 * Of operations that were thinned each stands for 2^level, so that one long
 * wait that was kept becomes as many, which there never were.  But the time
 * that a rank spent in each call was measured, all of it: what it waited there,
 * in all estimates together, is brought down to that.  Nor are a rank's calls
 * more than it made: a call that ends a thousand messages is kept with one of a
 * hundred of them, and stands for itself.  Errors go down with their estimates.
 * Nor was what another thread paused in a call waited there; it is known how
 * long that was, and not when.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/comparison.h"
#include "run/values.h"
#include "waits/wait-find.h"
#include "waits/waits.h"

#define BY_CHANCE 0.67 /* fewer calls than estimated: not by chance */

struct bounding {
	struct run *run;
	struct run_waits *waits;
	size_t metric;    /* mpi.time */
	uint32_t *order;  /* of causes: by call, and at last by size */
	uint32_t *number; /* what becomes of a cause */
	size_t *first;    /* victim of each cause; one more than there are */
	double *part;     /* of each cause, what stays of its estimate */
	/* By rank: */
	double *ns, *lost_ns; /* waited in one call; too much in all */
	uint64_t *most_ns;    /* inside that call */
	uint64_t *calls;      /* of it */
	struct value_buffer buffer;
};

static bool is_others_cause(const struct run_cause *cause)
{
	return cause->culprit == WAIT_OTHERS; /* it has no victims */
}

ORDER_ROWS_BY(by_cause_call, struct run_cause, of, ASC(victim) ?: ORDER(*i, *j))

/* The largest first; what was small is one, and stays the last. */
ORDER_ROWS_BY(by_cause_time, struct run_cause, of,
	      ORDER(is_others_cause(a), is_others_cause(b)) ?: DESC(ns) ?:
	      ORDER(*i, *j))

/* How long each rank waited in one call, and was in it. */
static int add_rank_waits(struct bounding *b, size_t from, size_t to)
{
	size_t ranks = b->run->rank_count;
	uint32_t call = b->waits->causes[b->order[from]].victim;
	const struct run_metric *calls = run_metric(b->run, "mpi.calls");
	int err = 0;

	memset(b->ns, 0, ranks * sizeof(*b->ns));
	memset(b->most_ns, 0, ranks * sizeof(*b->most_ns));
	memset(b->calls, 0, ranks * sizeof(*b->calls));
	for (size_t i = from; i < to; i++) {
		uint32_t cause = b->order[i];

		for (size_t v = b->first[cause]; v < b->first[cause + 1]; v++)
			b->ns[b->waits->victims[v].rank] +=
				b->waits->victims[v].ns;
	}
	if (calls)
		err = values_add_up(b->run, calls, call, &b->buffer, b->calls);
	return err ? err
		   : values_add_up(b->run, &b->run->metrics[b->metric], call,
				   &b->buffer, b->most_ns);
}

ORDER_BY(by_kept_call, struct run_kept_calls, ASC(node) ?: ASC(rank))

/* Of an estimate of a rank's waits in a call, what its calls leave. */
static double share_by_calls(const struct bounding *b, uint32_t call,
			     uint32_t rank)
{
	const struct run_kept_calls key = { .node = call, .rank = rank };
	const struct run_kept_calls *kept =
		b->waits->kept_count
			? bsearch(&key, b->waits->kept, b->waits->kept_count,
				  sizeof(key), by_kept_call)
			: NULL;
	double each = ldexp(1, (int)b->waits->joined.level), share;

	if (!kept || !b->calls[rank])
		return 1;
	share = (double)b->calls[rank] / ((double)kept->calls * each);
	return share < BY_CHANCE ? share : 1;
}

static void bound_cause(struct bounding *b, uint32_t number)
{
	struct run_cause *cause = &b->waits->causes[number];
	double before = 0, lost = 0;

	for (size_t v = b->first[number]; v < b->first[number + 1]; v++) {
		struct run_cause_victim *victim = &b->waits->victims[v];
		double share = share_by_calls(b, cause->victim, victim->rank);
		double all = share * b->ns[victim->rank];
		double most = (double)b->most_ns[victim->rank];
		double ns = share * victim->ns;

		if (all > most)
			ns *= most / all;

		before += victim->ns;
		lost += victim->ns - ns;
		b->lost_ns[victim->rank] += victim->ns - ns;
		victim->ns = ns;
	}
	if (lost <= 0)
		return;
	b->part[number] = 1 - lost / before;
	b->waits->ranks[cause->culprit].caused_ns -= lost;
	cause->ns *= b->part[number];
	cause->error_ns *= b->part[number];
	cause->clock_ns *= b->part[number];
	cause->indirect_ns *= b->part[number];
	cause->early_ns *= b->part[number];
}

static int bound_calls(struct bounding *b)
{
	const struct run_cause *causes = b->waits->causes;
	size_t count = b->waits->cause_count;
	int err = 0;

	if (count)
		qsort_r(b->order, count, sizeof(*b->order), by_cause_call,
			b->waits->causes);
	for (size_t from = 0, to; from < count && !err; from = to) {
		uint32_t call = causes[b->order[from]].victim;

		for (to = from;
		     to < count && causes[b->order[to]].victim == call;)
			to++;
		err = add_rank_waits(b, from, to);
		for (size_t i = from; i < to && !err; i++)
			bound_cause(b, b->order[i]);
	}
	return err;
}

static void bound_ranks(struct bounding *b)
{
	for (size_t i = 0; i < b->waits->rank_count; i++) {
		struct run_wait_rank *r = &b->waits->ranks[i];
		double left = r->waited_ns - b->lost_ns[i];

		if (b->lost_ns[i] <= 0)
			continue;
		r->main_ns *= left / r->waited_ns;
		r->waited_ns = left;
	}
}

/* Causes in their new order, and what refers to them. */
static int sort_again(struct bounding *b)
{
	struct run_waits *w = b->waits;
	struct run_cause *causes = calloc(w->cause_count + 1, sizeof(*causes));

	if (!causes)
		return -ENOMEM;
	qsort_r(b->order, w->cause_count, sizeof(*b->order), by_cause_time,
		w->causes);
	for (size_t i = 0; i < w->cause_count; i++) {
		causes[i] = w->causes[b->order[i]];
		b->number[b->order[i]] = (uint32_t)i;
	}
	free(w->causes);
	w->causes = causes;
	for (size_t i = 0; i < w->context_count; i++) {
		w->contexts[i].ns *= b->part[w->contexts[i].cause];
		w->contexts[i].cause = b->number[w->contexts[i].cause];
	}
	for (size_t i = 0; i < w->victim_count; i++)
		w->victims[i].cause = b->number[w->victims[i].cause];
	waits_sort(w);
	return 0;
}

static int bounding_init(struct bounding *b)
{
	size_t causes = b->waits->cause_count, ranks = b->run->rank_count;

	b->order = calloc(causes + 1, sizeof(*b->order));
	b->number = calloc(causes + 1, sizeof(*b->number));
	b->first = calloc(causes + 2, sizeof(*b->first));
	b->part = calloc(causes + 1, sizeof(*b->part));
	b->ns = calloc(ranks + 1, sizeof(*b->ns));
	b->lost_ns = calloc(ranks + 1, sizeof(*b->lost_ns));
	b->most_ns = calloc(ranks + 1, sizeof(*b->most_ns));
	b->calls = calloc(ranks + 1, sizeof(*b->calls));
	if (!b->order || !b->number || !b->first || !b->part || !b->ns ||
	    !b->lost_ns || !b->most_ns || !b->calls)
		return -ENOMEM;
	for (size_t i = 0; i < b->waits->victim_count; i++)
		b->first[b->waits->victims[i].cause + 1]++;
	for (size_t i = 0; i < causes; i++) {
		b->first[i + 1] += b->first[i];
		b->order[i] = (uint32_t)i;
		b->part[i] = 1;
	}
	return 0;
}

static bool was_paused(const struct run *run)
{
	for (size_t i = 0; i < run->rank_count; i++)
		if (run->ranks[i].paused_ns)
			return true;
	return false;
}

int waits_bound(struct run *run)
{
	const struct run_metric *metric = run_metric(run, "mpi.time");
	struct bounding b = { .run = run, .waits = &run->waits };
	int err;

	if (!metric || !run->waits.cause_count ||
	    (!run->waits.joined.level && !was_paused(run)))
		return 0;
	b.metric = (size_t)(metric - run->metrics);
	err = bounding_init(&b);
	if (!err)
		err = bound_calls(&b);
	if (!err) {
		bound_ranks(&b);
		err = sort_again(&b);
	}
	value_buffer_fini(&b.buffer);
	free(b.order);
	free(b.number);
	free(b.first);
	free(b.part);
	free(b.ns);
	free(b.lost_ns);
	free(b.most_ns);
	free(b.calls);
	return err == -ENOMEM ? no_memory() : err;
}
