/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix.c - which rank exchanged how much with which other one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/base/report.h"
#include "base/err.h"
#include "base/comparison.h"

#define LINES 48 /* of the map: so many ranks, or groups of them */

enum matrix_quantity {
	BYTES,
	CALLS,
	SECONDS
};

/* What a row counts for: sends, as seen by who sent. */
static double quantity_of(const struct run_peer *p,
			  enum matrix_quantity quantity)
{
	switch (quantity) {
	case BYTES:
		return (double)p->sent;
	case CALLS:
		return (double)p->sends;
	default:
		return (double)p->send_ns / 1e9;
	}
}

/* By mpi.bytes.sent unless another of these is asked for. */
static int choose_quantity(const struct analysis_options *options,
			   enum matrix_quantity *to)
{
	static const char *const names[] = { [BYTES] = "mpi.bytes.sent",
					     [CALLS] = "mpi.calls",
					     [SECONDS] = "mpi.time" };

	*to = BYTES;
	if (!options->metric)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(options->metric, names[i])) {
			*to = (enum matrix_quantity)i;
			return 0;
		}
	return fail(-EINVAL,
		    "no matrix of '%s'; mpi.bytes.sent, mpi.calls and mpi.time "
		    "are there",
		    options->metric);
}

static uint32_t ranks_per_line(const struct run *run)
{
	return (run->world - 1) / LINES + 1;
}

/* Rows: senders; in each, what went to every receiver, or group. */
static int map_table(struct report *report, const struct run *run,
		     enum matrix_quantity quantity)
{
	const struct run_calls *c = &run->calls;
	uint32_t per_line = ranks_per_line(run);
	uint32_t lines = (run->world - 1) / per_line + 1;
	double *cells = calloc((size_t)lines * lines + 1, sizeof(*cells));
	double most = 0;

	if (!cells)
		return no_memory();
	for (size_t i = 0; i < c->peer_count; i++) {
		uint32_t from = (uint32_t)run->ranks[c->peers[i].rank].rank;
		double *cell = &cells[from / per_line * lines +
				      c->peers[i].peer / per_line];

		*cell += quantity_of(&c->peers[i], quantity);
		most = *cell > most ? *cell : most;
	}
	report_table(report, "map", "from each rank (down) to each (across)");
	report_column(report, "from", "rank", COLUMN_COUNT);
	report_column(report, "ranks", per_line > 1 ? "ranks" : NULL,
		      COLUMN_COUNT);
	report_column(report, NULL, "to ranks", COLUMN_HEAT);
	for (uint32_t line = 0; line < lines && most > 0; line++) {
		double *row = &cells[(size_t)line * lines];

		for (uint32_t to = 0; to < lines; to++)
			row[to] /= most;
		report_count(report, (uint64_t)line * per_line);
		report_count(report, per_line);
		report_spark(report, row, lines);
	}
	free(cells);
	return 0;
}

struct order {
	const struct run *run;
	enum matrix_quantity quantity;
};

static int by_quantity(const void *x, const void *y, void *order)
{
	const struct order *o = order;
	const uint32_t *i = x, *j = y;
	double a = quantity_of(&o->run->calls.peers[*i], o->quantity);
	double b = quantity_of(&o->run->calls.peers[*j], o->quantity);

	if (a != b)
		return a < b ? 1 : -1;
	return ORDER(*i, *j);
}

static void pair_columns(struct report *report, const struct run *run)
{
	report_table(report, "pairs", "pairs of ranks");
	report_column(report, "rank", "rank", COLUMN_COUNT);
	report_column(report, "peer", "with", COLUMN_COUNT);
	report_column(report, "peers",
		      run->calls.peer_block > 1 ? "and on, ranks" : NULL,
		      COLUMN_COUNT);
	report_column(report, "sends", "sends", COLUMN_COUNT);
	report_column(report, "sent", "sent", COLUMN_BYTES);
	report_column(report, "send_seconds", "in sends", COLUMN_SECONDS);
	report_column(report, "receives", "receives", COLUMN_COUNT);
	report_column(report, "received", "received", COLUMN_BYTES);
	report_column(report, "receive_seconds", "in receives", COLUMN_SECONDS);
}

static void pair_row(struct report *report, const struct run *run,
		     const struct run_peer *p)
{
	report_count(report, processes_number(run, p->rank));
	report_count(report, p->peer);
	report_count(report, run->calls.peer_block);
	report_count(report, p->sends);
	report_count(report, p->sent);
	report_number(report, (double)p->send_ns / 1e9);
	report_count(report, p->receives);
	report_count(report, p->received);
	report_number(report, (double)p->receive_ns / 1e9);
}

static int pair_table(struct report *report, const struct run *run,
		      enum matrix_quantity quantity,
		      const struct analysis_options *options)
{
	size_t count = run->calls.peer_count;
	size_t limit = analysis_limit(options, 20, count);
	uint32_t *sorted = calloc(count + 1, sizeof(*sorted));
	struct order order = { run, quantity };

	if (!sorted)
		return no_memory();
	for (size_t i = 0; i < count; i++)
		sorted[i] = (uint32_t)i;
	if (count)
		qsort_r(sorted, count, sizeof(*sorted), by_quantity, &order);
	pair_columns(report, run);
	for (size_t i = 0; i < limit; i++)
		pair_row(report, run, &run->calls.peers[sorted[i]]);
	free(sorted);
	return 0;
}

static int run_matrix(struct report **to, const struct run *const runs[],
		      const struct analysis_options *options)
{
	enum matrix_quantity quantity;
	int err = analysis_one_run(runs, "matrix");

	if (!err)
		err = choose_quantity(options, &quantity);
	if (err)
		return err;
	*to = analysis_report("matrix", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	jobs_findings(*to, runs[0]);
	err = pair_table(*to, runs[0], quantity, options);
	if (!err && runs[0]->calls.peer_count)
		err = map_table(*to, runs[0], quantity);
	if (!runs[0]->calls.peer_count)
		report_line(*to, "No messages were seen.");
	return err ? err : report_error(*to);
}

const struct analysis analysis_matrix = {
	.name = "matrix",
	.help = "which rank exchanged how much with which other one",
	.takes = ANALYSIS_METRIC,
	.run = run_matrix,
};
