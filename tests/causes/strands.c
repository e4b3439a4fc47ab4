/* SPDX-License-Identifier: BSD-3-Clause */
/* Folding energies of short strands: a table for each window of the genome. */
#include "options.h"
#include <math.h>

#define LENGTH 8000
#define WINDOW 24
#define SPAN   64

struct genome {
	char bases[LENGTH];
	double energy[LENGTH];
};

struct table {
	double **rows;
	double *kept;
};

static void genome_read(struct genome *g, int rank)
{
	unsigned int x = 5u + 7u * (unsigned int)rank;

	for (int i = 0; i < LENGTH; i++) {
		x = x * 1664525u + 1013904223u;
		g->bases[i] = "ACGU"[x >> 30];
	}
}

static void table_open(struct table *t, const struct options *o)
{
	if (!o->mended || !t->rows) {
		t->rows = malloc(SPAN * sizeof(*t->rows));
		for (int i = 0; i < SPAN; i++)
			t->rows[i] = malloc(SPAN * sizeof(double));
	}
	for (int i = 0; i < WINDOW; i++)
		memset(t->rows[i], 0, WINDOW * sizeof(double));
}

/* What the caller keeps is a table of its own. */
static void table_close(struct table *t, const struct options *o)
{
	if (o->mended)
		return;
	t->kept = malloc(SPAN * SPAN * sizeof(double));
	for (int i = 0; i < SPAN; i++)
		memcpy(t->kept + i * SPAN, t->rows[i], SPAN * sizeof(double));
	for (int i = 0; i < SPAN; i++)
		free(t->rows[i]);
	free(t->rows);
	free(t->kept);
}

static double pair_bonus(char a, char b)
{
	int sum = a + b;

	if (sum == 'A' + 'U')
		return 2.0;
	if (sum == 'C' + 'G')
		return 3.0;
	return sum == 'G' + 'U' ? 1.0 : 0.0;
}

static double window_fold(double **best, const char *bases)
{
	for (int span = 4; span < WINDOW; span++)
		for (int i = 0; i + span < WINDOW; i++) {
			int j = i + span;
			double pair = best[i + 1][j - 1] +
				      pair_bonus(bases[i], bases[j]);

			best[i][j] = fmax(pair, best[i + 1][j]);
		}
	return best[0][WINDOW - 1];
}

static void genome_fold(struct genome *g, const struct options *o)
{
	static struct table t; /* lives as long as the program if mended */

	for (int i = 0; i + WINDOW < LENGTH; i++) {
		table_open(&t, o);
		g->energy[i] = window_fold(t.rows, g->bases + i);
		table_close(&t, o);
	}
}

static void genome_mutate(struct genome *g, int round)
{
	for (int i = round % 7; i < LENGTH; i += 7)
		g->bases[i] = "ACGU"[(g->bases[i] + round + i) & 3];
}

static double partition(const struct genome *g)
{
	double sum = 0.0, all;

	for (int i = 0; i < LENGTH; i++)
		sum += exp(-0.1 * g->energy[i]) * log1p(g->energy[i]);
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	static struct genome g;
	struct options o;
	double result = 0.0;
	int rounds;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	genome_read(&g, o.rank);
	rounds = options_times(&o, 66);
	for (int round = 0; round < rounds; round++) {
		genome_mutate(&g, round);
		genome_fold(&g, &o);
		result += partition(&g) / o.ranks;
	}
	options_report(&o, result);
	MPI_Finalize();
	return 0;
}
