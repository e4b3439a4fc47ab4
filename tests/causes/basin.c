/* SPDX-License-Identifier: BSD-3-Clause */
/* Infiltration and runoff of a river basin, columns of soil on each rank. */
#include "options.h"
#include <math.h>

#define COLUMNS 1200
#define LAYERS  24

struct column {
	double moisture[LAYERS];
	double slope;
	double outflow;
};

struct basin {
	struct column *columns;
	int first, count;
};

/* Columns come in groups of the same soil. */
static void basin_divide(struct basin *b, const struct options *o)
{
	int share = COLUMNS / (3 * o->ranks);

	if (o->mended)
		share = COLUMNS / o->ranks;
	b->first = o->rank * share;
	b->count = o->rank == o->ranks - 1 ? COLUMNS - b->first : share;
	b->columns = calloc(b->count, sizeof(*b->columns));
	for (int i = 0; i < b->count; i++) {
		struct column *c = &b->columns[i];

		c->slope = 0.01 + 0.0001 * ((b->first + i) % 37);
		for (int l = 0; l < LAYERS; l++)
			c->moisture[l] = 0.2 + 0.01 * ((b->first + i + l) % 7);
	}
}

static double rainfall(int step)
{
	double sum = 0.0;

	for (int gauge = 0; gauge < 4000; gauge++)
		sum += 1.0 + sin(0.01 * step + 0.3 * gauge);
	return sum / 4000;
}

static double retention(double moisture)
{
	return pow(moisture / 0.45, 5.3) * exp(-0.1 / moisture);
}

static void column_infiltrate(struct column *c, double rain)
{
	double flux = 0.001 * rain;

	for (int l = 0; l < LAYERS; l++) {
		double drain = 0.01 * retention(c->moisture[l]);

		c->moisture[l] += flux - drain;
		if (c->moisture[l] > 0.44) {
			c->outflow += c->moisture[l] - 0.44;
			c->moisture[l] = 0.44;
		}
		if (c->moisture[l] < 0.05)
			c->moisture[l] = 0.05;
		flux = drain;
	}
	c->outflow += flux + c->slope * c->moisture[0];
}

static double basin_drain(const struct basin *b)
{
	double outflow = 0.0;

	for (int i = 0; i < b->count; i++)
		outflow += b->columns[i].outflow;
	return outflow;
}

int main(int argc, char **argv)
{
	struct options o;
	struct basin b;
	double stage = 0.0;
	int steps;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	basin_divide(&b, &o);
	steps = options_times(&o, 5300);
	for (int step = 0; step < steps; step++) {
		double rain = rainfall(step);
		double local, total;

		for (int i = 0; i < b.count; i++)
			column_infiltrate(&b.columns[i], rain);
		if (step % 10)
			continue;
		local = basin_drain(&b);
		MPI_Allreduce(&local, &total, 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		stage = 0.9 * stage + 0.1 * total;
	}
	options_report(&o, stage / o.ranks + basin_drain(&b));
	free(b.columns);
	MPI_Finalize();
	return 0;
}
