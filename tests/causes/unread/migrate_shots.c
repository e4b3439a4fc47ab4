/* SPDX-License-Identifier: BSD-3-Clause */
/* Seismic traces: each shot is filtered, corrected for normal moveout and
 * stacked. A trace is a row of samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRACES  2048
#define SAMPLES 2048
#define PANELS  4 /* of near to far offsets */

static float shot[TRACES][SAMPLES], moved[TRACES][SAMPLES];
static float stack[PANELS][SAMPLES], gain[PANELS][TRACES];
static int mended;

static void read_shot(int number)
{
	unsigned s = number + 1;

	for (int t = 0; t < TRACES; t++)
		for (int i = 0; i < SAMPLES; i++) {
			s = s * 1664525u + 1013904223u;
			shot[t][i] = (s >> 8) * (1.0f / (1 << 24)) - 0.5f;
		}
}

static void band_pass(void)
{
	for (int t = 0; t < TRACES; t++) {
		float a = 0, b = 0;

		for (int i = 0; i < SAMPLES; i++) {
			float x = shot[t][i] + 1.2f * a - 0.5f * b;

			b = a;
			a = x;
			shot[t][i] = 0.3f * x;
		}
	}
}

static void normal_moveout(void)
{
	for (int t = 0; t < TRACES; t++) {
		float offset = 2e-4f * t * t / TRACES;

		for (int i = 0; i < SAMPLES; i++) {
			int from = sqrtf((float)i * i + offset * SAMPLES);

			moved[t][i] = from < SAMPLES ? shot[t][from] : 0;
		}
	}
}

static void stack_traces(int p)
{
	for (int i = 0; i < SAMPLES; i++) {
		float sum = 0;

		for (int t = 0; t < TRACES; t++)
			sum += gain[p][t] * moved[t][i];
		stack[p][i] += sum;
	}
}

static void stack_rows(int p)
{
	for (int t = 0; t < TRACES; t++)
		for (int i = 0; i < SAMPLES; i++)
			stack[p][i] += gain[p][t] * moved[t][i];
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, power = 0;
	int shots = 45 * factor;

	mended = argc > 2 && !strcmp(argv[2], "fixed");
	for (int p = 0; p < PANELS; p++)
		for (int t = 0; t < TRACES; t++)
			gain[p][t] = 1.0f / (1 + 0.001f * abs(t - p * 512));
	for (int n = 0; n < shots; n++) {
		read_shot(n);
		band_pass();
		normal_moveout();
		for (int p = 0; p < PANELS; p++)
			if (mended)
				stack_rows(p);
			else
				stack_traces(p);
	}
	for (int p = 0; p < PANELS; p++)
		for (int i = 0; i < SAMPLES; i++)
			power += stack[p][i] * stack[p][i];
	printf("power %.4e\n", power);
	return 0;
}
