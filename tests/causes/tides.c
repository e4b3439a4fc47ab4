/* SPDX-License-Identifier: BSD-3-Clause */
/* Shallow water in a bay.  The open boundary follows the tide at gauges. */
#include "options.h"
#include <math.h>

#define WIDTH        256
#define ROWS         32
#define GAUGES       64
#define CONSTITUENTS 360

struct bay {
	double level[ROWS][WIDTH];
	double flow[ROWS][WIDTH];
	double open[GAUGES];
};

static void bay_fill(struct bay *b, int rank)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < WIDTH; j++) {
			b->level[i][j] = 0.1 * sin(0.05 * j + rank);
			b->flow[i][j] = 0.0;
		}
}

static void bay_momentum(struct bay *b)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 1; j < WIDTH; j++) {
			double slope = b->level[i][j] - b->level[i][j - 1];
			double u = b->flow[i][j];

			b->flow[i][j] = u - 0.05 * slope - 0.01 * u * fabs(u);
		}
}

static void bay_continuity(struct bay *b)
{
	for (int i = 0; i < ROWS; i++)
		for (int j = 1; j < WIDTH - 1; j++)
			b->level[i][j] -=
				0.05 * (b->flow[i][j + 1] - b->flow[i][j]);
}

/* What the moon and the sun make of the level at one gauge. */
static double harmonic(double time, int gauge)
{
	double sum = 0.0;

	for (int k = 1; k <= CONSTITUENTS; k++) {
		double speed = 0.2 + 0.013 * k;

		sum += cos(speed * time + 0.1 * gauge * k) / (1 + k);
	}
	return sum;
}

/*
 * The ranks take turns to predict the hour; mended, each predicts its gauges
 * of every hour.
 */
static void boundary_predict(struct bay *b, int hour, const struct options *o)
{
	double local[GAUGES] = { 0.0 };
	int turn = hour % o->ranks;

	if (o->mended) {
		for (int g = o->rank; g < GAUGES; g += o->ranks)
			local[g] = harmonic(hour, g);
		MPI_Allreduce(local, b->open, GAUGES, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		return;
	}
	if (turn == o->rank)
		for (int g = 0; g < GAUGES; g++)
			b->open[g] = harmonic(hour, g);
	MPI_Bcast(b->open, GAUGES, MPI_DOUBLE, turn, MPI_COMM_WORLD);
}

static void boundary_apply(struct bay *b)
{
	for (int i = 0; i < ROWS; i++)
		b->level[i][0] = 0.3 * b->open[(i * 2) % GAUGES];
}

static double bay_volume(const struct bay *b)
{
	double sum = 0.0;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < WIDTH; j++)
			sum += b->level[i][j];
	return sum;
}

int main(int argc, char **argv)
{
	static struct bay bay;
	struct options o;
	int hours;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	bay_fill(&bay, o.rank);
	hours = options_times(&o, 720) * o.ranks;
	for (int hour = 0; hour < hours; hour++) {
		boundary_predict(&bay, hour, &o);
		boundary_apply(&bay);
		for (int sub = 0; sub < 10; sub++) {
			bay_momentum(&bay);
			bay_continuity(&bay);
		}
	}
	options_report(&o, bay_volume(&bay));
	MPI_Finalize();
	return 0;
}
