/* SPDX-License-Identifier: BSD-3-Clause */
/* A model of the atmosphere in layers: each step filters all fields and
 * advances them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINTS (1 << 20)
#define FIELDS 5

static double *fields[FIELDS];
static double *kept_work;
static int mended;

static double *work_space(size_t points)
{
	if (!mended)
		return malloc(points * sizeof(double));
	if (!kept_work)
		kept_work = malloc(points * sizeof(double));
	return kept_work;
}

static void end_work(double *work)
{
	if (!mended)
		free(work);
}

static void raymond_filter(double *f)
{
	double *work = work_space(POINTS * 5);
	double *smooth = work, *rough = work + POINTS, *edge = rough + POINTS;

	for (size_t i = 1; i < POINTS - 1; i++)
		smooth[i] = 0.25 * (f[i - 1] + 2 * f[i] + f[i + 1]);
	smooth[0] = f[0];
	smooth[POINTS - 1] = f[POINTS - 1];
	for (size_t i = 0; i < POINTS; i++)
		rough[i] = f[i] - smooth[i];
	for (size_t i = 0; i < POINTS; i++)
		edge[i] = rough[i] * rough[i] / (1e-3 + f[i] * f[i]);
	for (size_t i = 0; i < POINTS; i++)
		f[i] -= 0.1 * rough[i] / (1 + edge[i]);
	end_work(work);
}

static void tendencies(int step)
{
	for (int k = 0; k < FIELDS; k++) {
		double *f = fields[k], *g = fields[(k + 1) % FIELDS];

		for (size_t i = 0; i < POINTS; i++)
			f[i] += 0.01 * (g[i] - f[i]) / (1 + fabs(g[i])) +
				1e-3 * sqrt(fabs(f[i])) * (step % 3 - 1);
	}
}

static double energy(void)
{
	double sum = 0;

	for (int k = 0; k < FIELDS; k++)
		for (size_t i = 0; i < POINTS; i++)
			sum += fields[k][i] * fields[k][i];
	return sum;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, last = 0;
	int steps = 45 * factor;

	mended = argc > 2 && !strcmp(argv[2], "fixed");
	for (int k = 0; k < FIELDS; k++) {
		fields[k] = malloc(POINTS * sizeof(double));
		for (size_t i = 0; i < POINTS; i++)
			fields[k][i] = sin(1e-4 * i * (k + 1)) + 0.1 * (i % 7);
	}
	for (int step = 0; step < steps; step++) {
		for (int k = 0; k < FIELDS; k++)
			raymond_filter(fields[k]);
		tendencies(step);
		last = energy();
	}
	printf("energy %.8e\n", last);
	return 0;
}
