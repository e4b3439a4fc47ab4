/* SPDX-License-Identifier: BSD-3-Clause */
/* Neutrons in a slab: histories are shared among threads, which score
 * the cells that each flight goes through. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS  256
#define GROUPS 4

struct tally {
	double flux, heat;
};

static struct tally tallies[GROUPS][CELLS]; /* of all threads */
static int mended;

static inline unsigned long draw(unsigned long *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static inline double uniform(unsigned long *s)
{
	return (draw(s) >> 11) * 0x1p-53;
}

static void score_track(struct tally own[][CELLS], int group, double x,
			double to)
{
	int cell = fmin(x, to) * (CELLS / 12.0),
	    last = fmax(x, to) * (CELLS / 12.0);

	for (; cell <= last; cell++) {
		if (cell < 0 || cell >= CELLS)
			continue;
		if (own) {
			own[group][cell].flux += 12.0 / CELLS;
			own[group][cell].heat += 0.3 * group + 0.1;
			continue;
		}
#pragma omp atomic
		tallies[group][cell].flux += 12.0 / CELLS;
#pragma omp atomic
		tallies[group][cell].heat += 0.3 * group + 0.1;
	}
}

static int history(unsigned long *seed, struct tally own[][CELLS])
{
	double x = 0, mu = 1;
	int group = 0, events = 0;

	while (x >= 0 && x < 12 && group < GROUPS) {
		double path = -log(1 - uniform(seed)) / (1 + 0.2 * group);

		score_track(own, group, x, x + mu * path);
		x += mu * path;
		if (uniform(seed) < 0.1)
			group++;
		mu = 2 * uniform(seed) - 1;
		events++;
	}
	return events;
}

static long transport(int batch, long histories)
{
	long events = 0;

#pragma omp parallel reduction(+ : events)
	{
		struct tally own[GROUPS][CELLS] = { { { 0 } } };

#pragma omp for schedule(dynamic, 1000)
		for (long h = 0; h < histories; h++) {
			unsigned long s =
				(h + 1) * 0x9e3779b97f4a7c15ul + batch;

			draw(&s);
			events += history(&s, mended ? own : NULL);
		}
#pragma omp critical
		for (int g = 0; mended && g < GROUPS; g++)
			for (int c = 0; c < CELLS; c++) {
				tallies[g][c].flux += own[g][c].flux;
				tallies[g][c].heat += own[g][c].heat;
			}
	}
	return events;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, sum = 0;
	int batches = 30 * factor;
	long events = 0;

	mended = argc > 2 && !strcmp(argv[2], "fixed");
	for (int b = 0; b < batches; b++)
		events += transport(b, 60000);
	for (int g = 0; g < GROUPS; g++)
		for (int c = 0; c < CELLS; c++)
			sum += tallies[g][c].flux + tallies[g][c].heat;
	printf("%ld events, flux %.6e\n", events, sum);
	return 0;
}
