/* SPDX-License-Identifier: BSD-3-Clause */
/* split-bins.c - see split-bins.h. */
#include "run/split-bins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "run/split.h"

struct binning {
	struct run *run;
	const struct run_timeline *line;
	const uint8_t *part_of;
	uint32_t bins;
	double *waited;  /* by bin, of all processes in MPI */
	double *weights; /* of a process: by part and bin */
	double *sums;    /* of all: by part and bin */
	size_t row;      /* of the timeline: the next */
};

uint64_t split_rounding_next(struct rounding *sum, double ns)
{
	uint64_t next;

	sum->exact += ns;
	next = (uint64_t)llround(fmax(sum->exact, (double)sum->given)) -
	       sum->given;
	sum->given += next;
	return next;
}

/* Of a part that nodes are of, all that is known of the cell. */
static double weight_of_node(const struct run_time_cell *c,
			     enum split_part of_node, enum split_part part)
{
	return of_node == part ? c->known : 0;
}

/*
 * How much of a cell is of the part.  Off a core is what no cell says otherwise
 * of: a thread that sleeps is in none.
 */
static double cell_weight(const struct run_time_cell *c,
			  enum split_part of_node, enum split_part part,
			  double waited)
{
	double mpi = of_node == SPLIT_START ? 0 : c->mpi;
	double own = fmax(0, (double)c->busy - mpi);
	bool works = of_node == SPLIT_WORK || of_node == SPLIT_MPI;

	switch (part) {
	case SPLIT_WORK:
		return works ? own : 0;
	case SPLIT_ALONE:
		return works ? own * waited : 0;
	case SPLIT_WAIT:
		return fmin(c->mpi_wait, mpi);
	case SPLIT_MPI:
	case SPLIT_TRANSFER:
		return fmax(0, mpi - c->mpi_wait);
	case SPLIT_CORE:
		return -(double)c->busy;
	case SPLIT_BLOCKED:
		return c->io - fmax(c->busy, mpi);
	case SPLIT_UNKNOWN:
		return 0;
	default:
		return weight_of_node(c, of_node, part);
	}
}

static void add_waits_of_line(struct binning *b)
{
	for (size_t i = 0; i < b->line->row_count; i++) {
		const struct run_time_row *row = &b->line->rows[i];

		for (uint32_t c = 0;
		     c < row->cells && row->kind == RUN_TIME_THREAD; c++)
			b->waited[row->first_bin + c] +=
				b->line->cells[row->first + c].mpi_wait;
	}
}

static void weigh_row(struct binning *b, const struct run_time_row *row)
{
	for (uint32_t c = 0; c < row->cells; c++) {
		const struct run_time_cell *cell =
			&b->line->cells[row->first + c];
		uint32_t bin = row->first_bin + c;

		for (uint32_t p = 0; p < SPLIT_PARTS; p++)
			b->weights[p * b->bins + bin] +=
				cell_weight(cell, b->part_of[cell->node], p,
					    b->waited[bin]);
	}
}

/* Its last call, until its end; and what else was in MPI there was not. */
static void weigh_never(struct binning *b, const struct run_rank *r, double ns)
{
	static const enum split_part in_mpi[] = { SPLIT_MPI, SPLIT_TRANSFER };
	const struct run_time_axis *axis = b->line->axes;
	double width = (double)axis->width_ns;
	double end = ((double)r->start_real_ns - (double)axis->begin_real_ns +
		      (double)r->elapsed_ns) /
		     width;

	for (uint32_t i = 0; i < b->bins && ns > 0; i++) {
		double part = fmin(end, i + 1) - fmax(end - ns / width, i);

		part = fmin(fmax(part, 0), 1);
		b->weights[SPLIT_NEVER * b->bins + i] = part;
		for (size_t p = 0; p < sizeof(in_mpi) / sizeof(*in_mpi); p++)
			b->weights[in_mpi[p] * b->bins + i] *= 1 - part;
	}
}

/* From its start to its end, it was somewhere. */
static void weigh_life(struct binning *b, const struct run_rank *r)
{
	static const enum split_part off[] = { SPLIT_CORE, SPLIT_BLOCKED,
					       SPLIT_UNKNOWN };
	const struct run_time_axis *axis = b->line->axes;
	double width = (double)axis->width_ns;
	double begin =
		((double)r->start_real_ns - (double)axis->begin_real_ns) /
		width;
	double end = begin + (double)r->elapsed_ns / width;

	for (uint32_t i = 0; i < b->bins; i++) {
		double part = fmin(end, i + 1) - fmax(begin, i);

		for (size_t p = 0; p < sizeof(off) / sizeof(*off); p++)
			b->weights[off[p] * b->bins + i] =
				RUN_TIME_WHOLE * fmax(part, 0);
	}
}

static double never_of_rank(const struct run_split *of, size_t row)
{
	uint32_t rank = of->ranks[row].rank;

	for (; row < of->rank_count && of->ranks[row].rank == rank; row++)
		if (of->ranks[row].part == SPLIT_NEVER)
			return (double)of->ranks[row].ns;
	return 0;
}

/* The rows of a process are adjacent, in the order of the processes. */
static void weigh_process(struct binning *b, uint32_t rank, double never_ns)
{
	const struct run_time_row *rows = b->line->rows;

	memset(b->weights, 0, sizeof(*b->weights) * SPLIT_PARTS * b->bins);
	weigh_life(b, &b->run->ranks[rank]);
	while (b->row < b->line->row_count && rows[b->row].rank < rank)
		b->row++;
	for (; b->row < b->line->row_count && rows[b->row].rank == rank;
	     b->row++)
		if (rows[b->row].kind != RUN_TIME_GPU)
			weigh_row(b, &rows[b->row]);
	weigh_never(b, &b->run->ranks[rank], never_ns);
}

static double sum_of_bins(const double *of, uint32_t bins)
{
	double sum = 0;

	for (uint32_t b = 0; b < bins; b++)
		sum += fmax(of[b], 0);
	return sum;
}

/* A process without cells is spread over all bins. */
static void spread_row(struct binning *b, const struct run_split_rank *row)
{
	const double *by = &b->weights[row->part * b->bins];
	double *to = &b->sums[row->part * b->bins], all;

	all = sum_of_bins(by, b->bins);
	if (all <= 0) {
		by = &b->weights[SPLIT_UNKNOWN * b->bins];
		all = sum_of_bins(by, b->bins);
	}
	for (uint32_t i = 0; i < b->bins; i++)
		to[i] += (double)row->ns *
			 (all > 0 ? fmax(by[i], 0) / all : 1.0 / b->bins);
}

static void put_split_bins(struct binning *b, uint32_t part)
{
	struct run_split *to = &b->run->split;
	struct rounding sum = { 0 };

	for (uint32_t i = 0; i < b->bins; i++) {
		uint64_t ns =
			split_rounding_next(&sum, b->sums[part * b->bins + i]);

		if (ns)
			to->bins[to->bin_count++] =
				(struct run_split_bin){ part, i, ns };
	}
}

static void fill_bins(struct binning *b)
{
	const struct run_split *of = &b->run->split;

	add_waits_of_line(b);
	for (size_t i = 0; i < of->rank_count; i++) {
		if (!i || of->ranks[i].rank != of->ranks[i - 1].rank)
			weigh_process(b, of->ranks[i].rank,
				      never_of_rank(of, i));
		spread_row(b, &of->ranks[i]);
	}
	for (uint32_t p = 0; p < SPLIT_PARTS; p++)
		put_split_bins(b, p);
}

int split_bins_make(struct run *run, const uint8_t *part_of)
{
	struct binning b = { .run = run,
			     .line = &run->timeline,
			     .part_of = part_of };
	bool ok;

	if (!b.line->row_count)
		return 0;
	b.bins = b.line->axes->bins;
	b.waited = calloc(b.bins + 1, sizeof(*b.waited));
	b.weights = calloc((b.bins + 1) * SPLIT_PARTS, sizeof(*b.weights));
	b.sums = calloc((b.bins + 1) * SPLIT_PARTS, sizeof(*b.sums));
	run->split.bins =
		calloc((b.bins + 1) * SPLIT_PARTS, sizeof(*run->split.bins));
	ok = b.waited && b.weights && b.sums && run->split.bins;
	if (ok)
		fill_bins(&b);
	free(b.waited);
	free(b.weights);
	free(b.sums);
	return ok ? 0 : no_memory();
}
