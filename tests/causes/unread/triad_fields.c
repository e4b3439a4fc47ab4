/* SPDX-License-Identifier: BSD-3-Clause */
/* Updates of long fields by others: as fast as memory delivers them. */
#include <stdio.h>
#include <stdlib.h>

#define POINTS (8 << 20)

static double *height, *wind, *rain;

static void advance(double dt)
{
	double *restrict h = height;
	const double *restrict w = wind, *restrict r = rain;

	for (size_t i = 0; i < POINTS; i++)
		h[i] = w[i] + dt * r[i];
}

static void swap_fields(void)
{
	double *t = height;

	height = wind;
	wind = rain;
	rain = t;
}

static double *new_field(double value)
{
	double *f = malloc(POINTS * sizeof *f);

	for (size_t i = 0; f && i < POINTS; i++)
		f[i] = value;
	return f;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1;
	int steps = 240 * factor;

	height = new_field(1);
	wind = new_field(2);
	rain = new_field(3);
	if (!height || !wind || !rain)
		return 1;
	for (int s = 0; s < steps; s++) {
		advance(1e-3);
		swap_fields();
	}
	printf("height %.6f\n", height[POINTS / 2]);
	return 0;
}
