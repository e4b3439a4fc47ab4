/* SPDX-License-Identifier: BSD-3-Clause */
/* Planets of many suns; each rank has as many suns as the others. */
#include "options.h"
#include <math.h>

#define SUNS    40
#define PLANETS 12

struct body {
	double r[3], v[3], mass;
};

struct system {
	struct body bodies[PLANETS];
};

static void system_make(struct system *s, int number)
{
	for (int i = 0; i < PLANETS; i++) {
		struct body *b = &s->bodies[i];
		double phase = 0.9 * i + 0.01 * number;

		b->mass = i ? 1e-4 * (1 + i % 3) : 1.0;
		b->r[0] = i * cos(phase);
		b->r[1] = i * sin(phase);
		b->r[2] = 0.01 * (i % 3);
		b->v[0] = i ? -sin(phase) / sqrt(i) : 0.0;
		b->v[1] = i ? cos(phase) / sqrt(i) : 0.0;
		b->v[2] = 0.0;
	}
}

static void body_attract(struct body *b, const struct body *to, double step)
{
	double d[3], r2 = 1e-6;

	for (int k = 0; k < 3; k++) {
		d[k] = to->r[k] - b->r[k];
		r2 += d[k] * d[k];
	}
	for (int k = 0; k < 3; k++)
		b->v[k] += step * to->mass * d[k] / (r2 * sqrt(r2));
}

static void system_kick(struct system *s, double step)
{
	for (int i = 0; i < PLANETS; i++)
		for (int j = 0; j < PLANETS; j++)
			if (i != j)
				body_attract(&s->bodies[i], &s->bodies[j],
					     step);
}

static void system_drift(struct system *s, double step)
{
	for (int i = 0; i < PLANETS; i++)
		for (int k = 0; k < 3; k++)
			s->bodies[i].r[k] += step * s->bodies[i].v[k];
}

static double system_energy(const struct system *s)
{
	double energy = 0.0;

	for (int i = 0; i < PLANETS; i++)
		for (int k = 0; k < 3; k++)
			energy += 0.5 * s->bodies[i].mass * s->bodies[i].v[k] *
				  s->bodies[i].v[k];
	return energy;
}

int main(int argc, char **argv)
{
	static struct system systems[SUNS];
	struct options o;
	double energy = 0.0;
	int steps;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	for (int i = 0; i < SUNS; i++)
		system_make(&systems[i], i + SUNS * o.rank);
	steps = options_times(&o, 24000);
	for (int step = 0; step < steps; step++)
		for (int i = 0; i < SUNS; i++) {
			system_kick(&systems[i], 1e-3);
			system_drift(&systems[i], 1e-3);
		}
	for (int i = 0; i < SUNS; i++)
		energy += system_energy(&systems[i]);
	options_report(&o, energy);
	MPI_Finalize();
	return 0;
}
