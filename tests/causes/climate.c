/* SPDX-License-Identifier: BSD-3-Clause */
/* Years of temperatures on a globe: means of the places and of the days. */
#include "options.h"
#include <math.h>

#define PLACES 4096
#define TIMES  1024

struct record {
	float kelvin[TIMES][PLACES];
	double mean[PLACES];
	double anomaly[TIMES];
};

static void record_read(struct record *r, int rank)
{
	for (int t = 0; t < TIMES; t++)
		for (int p = 0; p < PLACES; p++)
			r->kelvin[t][p] =
				(float)(280 + (t * 7 + p * 3 + rank) % 31);
}

/* Sums of whole numbers are the same in any order. */
static void places_average(struct record *r, const struct options *o)
{
	memset(r->mean, 0, sizeof(r->mean));
	if (o->mended) {
		for (int t = 0; t < TIMES; t++)
			for (int p = 0; p < PLACES; p++)
				r->mean[p] += r->kelvin[t][p];
	} else {
		for (int p = 0; p < PLACES; p++)
			for (int t = 0; t < TIMES; t++)
				r->mean[p] += r->kelvin[t][p];
	}
	for (int p = 0; p < PLACES; p++)
		r->mean[p] /= TIMES;
}

static void days_compare(struct record *r)
{
	for (int t = 0; t < TIMES; t++) {
		double sum = 0.0;

		for (int p = 0; p < PLACES; p += 8)
			sum += fabs(r->kelvin[t][p] - r->mean[p]);
		r->anomaly[t] = sum / PLACES;
	}
}

/* The share of each period in the anomaly. */
static double periods(const struct record *r, int year)
{
	double sum = 0.0;

	for (int k = 1; k <= 80; k++) {
		double re = 0.0, im = 0.0;

		for (int t = 0; t < TIMES; t += 4) {
			re += r->anomaly[t] * cos(0.001 * t * (k + year % 3));
			im += r->anomaly[t] * sin(0.001 * t * (k + year % 3));
		}
		sum += sqrt(re * re + im * im);
	}
	return sum / TIMES;
}

static double globe_mean(const struct record *r)
{
	double own = 0.0, all;

	for (int p = 0; p < PLACES; p++)
		own += r->mean[p] / PLACES;
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	static struct record r;
	struct options o;
	double result = 0.0;
	int years;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	record_read(&r, o.rank);
	years = options_times(&o, 180);
	for (int year = 0; year < years; year++) {
		places_average(&r, &o);
		days_compare(&r);
		result += periods(&r, year) + globe_mean(&r) / o.ranks;
		r.kelvin[year % TIMES][year % PLACES] += 1.0f;
	}
	options_report(&o, result);
	MPI_Finalize();
	return 0;
}
