/* SPDX-License-Identifier: BSD-3-Clause */
/* Covariances of series, by blocks that fit the cache, shared among threads. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define SERIES 1024
#define LENGTH 768
#define BLOCK  64
#define BLOCKS (SERIES / BLOCK)

static float data[SERIES][LENGTH], cov[SERIES][SERIES];

static void centre(void)
{
#pragma omp parallel for
	for (int s = 0; s < SERIES; s++) {
		float mean = 0;

		for (int t = 0; t < LENGTH; t++)
			mean += data[s][t];
		mean /= LENGTH;
		for (int t = 0; t < LENGTH; t++)
			data[s][t] -= mean;
	}
}

static void block(int a0, int b0)
{
	for (int a = a0; a < a0 + BLOCK; a++)
		for (int b = b0; b < b0 + BLOCK; b += 4) {
			float s[4] = { 0, 0, 0, 0 };

			for (int t = 0; t < LENGTH; t++)
				for (int k = 0; k < 4; k++)
					s[k] += data[a][t] * data[b + k][t];
			for (int k = 0; k < 4; k++)
				cov[a][b + k] = s[k] / (LENGTH - 1);
		}
}

static void covariances(void)
{
#pragma omp parallel for collapse(2) schedule(dynamic)
	for (int a = 0; a < BLOCKS; a++)
		for (int b = 0; b < BLOCKS; b++)
			block(a * BLOCK, b * BLOCK);
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, trace = 0;
	int windows = 18 * factor;

	for (int w = 0; w < windows; w++) {
#pragma omp parallel for
		for (int s = 0; s < SERIES; s++) {
			unsigned r = s * 977 + w;

			for (int t = 0; t < LENGTH; t++) {
				r = r * 1664525u + 1013904223u;
				data[s][t] =
					(r >> 8) * 0x1p-24f + 0.01f * (s % 5);
			}
		}
		centre();
		covariances();
	}
	for (int s = 0; s < SERIES; s++)
		trace += cov[s][s];
	printf("trace %.6f\n", trace);
	return 0;
}
