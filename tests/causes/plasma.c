/* SPDX-License-Identifier: BSD-3-Clause */
/* A plasma in one dimension, with the moments that a shot's log wants. */
#include "options.h"
#include <math.h>

#define PARTICLES 400
#define MOMENTS   24

struct species {
	double x[PARTICLES], v[PARTICLES];
	double weight;
};

static void species_make(struct species *s, int rank)
{
	s->weight = 1.0 / PARTICLES;
	for (int i = 0; i < PARTICLES; i++) {
		s->x[i] = (double)i / PARTICLES;
		s->v[i] = sin(0.7 * i + rank);
	}
}

static void species_push(struct species *s, double field)
{
	for (int i = 0; i < PARTICLES; i++) {
		s->v[i] += 0.001 * field * sin(6.2832 * s->x[i]);
		s->x[i] += 0.001 * s->v[i];
		if (s->x[i] >= 1.0)
			s->x[i] -= 1.0;
		if (s->x[i] < 0.0)
			s->x[i] += 1.0;
	}
}

/* Powers of the velocity, the even ones by the energy. */
static double species_moment(const struct species *s, int order)
{
	double sum = 0.0;

	for (int i = order; i < PARTICLES; i += MOMENTS)
		sum += s->weight * (order & 1 ? s->v[i] : s->v[i] * s->v[i]);
	return sum;
}

static void moments_log(const struct species *s, double *moments,
			const struct options *o)
{
	double own[MOMENTS];

	if (o->mended) {
		for (int k = 0; k < MOMENTS; k++)
			own[k] = species_moment(s, k);
		MPI_Allreduce(own, moments, MOMENTS, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
		return;
	}
	for (int k = 0; k < MOMENTS; k++) {
		own[k] = species_moment(s, k);
		MPI_Allreduce(&own[k], &moments[k], 1, MPI_DOUBLE, MPI_SUM,
			      MPI_COMM_WORLD);
	}
}

static double field_from(const double *moments)
{
	double field = 0.0;

	for (int k = 0; k < MOMENTS; k++)
		field += moments[k] / (1 + k);
	return field;
}

/* The distribution at one time, smoothed. */
static double histogram(const struct species *s)
{
	double bins[64] = { 0.0 }, sum = 0.0;

	for (int i = 0; i < PARTICLES; i++)
		bins[(int)(s->x[i] * 63.0)] += exp(-s->v[i] * s->v[i]);
	for (int i = 1; i < 64; i++)
		sum += fabs(bins[i] - bins[i - 1]);
	return sum;
}

int main(int argc, char **argv)
{
	static struct species s;
	struct options o;
	double moments[MOMENTS], rough = 0.0, field = 1.0;
	int steps;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	species_make(&s, o.rank);
	steps = options_times(&o, 20000);
	for (int step = 0; step < steps; step++) {
		for (int sub = 0; sub < 1; sub++)
			species_push(&s, field);
		moments_log(&s, moments, &o);
		field = 1.0 + 0.01 * field_from(moments);
		rough += histogram(&s);
	}
	options_report(&o, rough + field);
	MPI_Finalize();
	return 0;
}
