/* SPDX-License-Identifier: BSD-3-Clause */
/* by-rank.c - add each rank's values to the rows whose paths they are below. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/by-rank.h"
#include "base/err.h"

#define ROOM (4u << 20) /* values of one side that are held at once */

static size_t common_ranks(const struct sides *s)
{
	size_t ranks = s->runs[0]->member_count;

	for (size_t r = 1; r < s->count; r++)
		if (s->runs[r]->member_count != ranks)
			return 0;
	return s->runs[0]->world && ranks > 1 ? ranks : 0;
}

size_t by_rank_rows(const struct sides *s)
{
	size_t ranks = common_ranks(s);

	return ranks && ranks < ROOM ? ROOM / ranks : 1;
}

/* What run r has in its node n goes to the rows of its path and callers. */
static void add_node(struct by_rank *b, const struct sides *s,
		     const struct run_metric *m, size_t r, size_t n,
		     const uint32_t *row_of)
{
	double *to = r < s->base ? b->base : b->now;
	size_t runs = r < s->base ? s->base : s->count - s->base;
	double scale = value_of(m->unit, 1) / (double)runs;

	for (uint32_t p = s->paths.of[r][n];; p = s->paths.at[p].parent) {
		double *row = to + (size_t)row_of[p] * b->ranks;

		for (uint64_t v = m->first[n]; v < m->first[n + 1]; v++)
			if (row_of[p] && m->values[v].rank < b->ranks)
				row[m->values[v].rank] +=
					(double)m->values[v].value * scale;
		if (!p)
			break;
	}
}

int by_rank_init(struct by_rank *b, const struct sides *s, const char *metric,
		 const uint32_t *paths, size_t rows)
{
	uint32_t *row_of = calloc(s->paths.count + 1, sizeof(*row_of));

	*b = (struct by_rank){ .ranks = common_ranks(s) };
	/* Row 0 is for what no row was asked for: it stays empty. */
	b->base = calloc((rows + 1) * b->ranks + 1, sizeof(*b->base));
	b->now = calloc((rows + 1) * b->ranks + 1, sizeof(*b->now));
	if (!row_of || !b->base || !b->now) {
		free(row_of);
		return fail(-ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < rows; i++)
		row_of[paths[i]] = (uint32_t)i + 1;
	for (size_t r = 0; r < s->count && b->ranks; r++) {
		const struct run_metric *m = run_metric(s->runs[r], metric);

		for (size_t n = 0; m && n < s->runs[r]->node_count; n++)
			if (m->first[n] < m->first[n + 1])
				add_node(b, s, m, r, n, row_of);
	}
	free(row_of);
	return 0;
}

void by_rank_fini(struct by_rank *b)
{
	free(b->base);
	free(b->now);
	*b = (struct by_rank){ 0 };
}

double by_rank_change(const struct by_rank *b, size_t row, size_t rank)
{
	size_t at = (row + 1) * b->ranks + rank;

	return b->now[at] - b->base[at];
}

size_t by_rank_most(const struct by_rank *b, size_t row, double change)
{
	double sign = change < 0 ? -1 : 1;
	size_t most = 0;

	for (size_t rank = 1; rank < b->ranks; rank++)
		if (sign * by_rank_change(b, row, rank) >
		    sign * by_rank_change(b, row, most))
			most = rank;
	return most;
}
