/* SPDX-License-Identifier: BSD-3-Clause */
/* Prices of options by sampled paths; a desk may change the rate any time. */
#include "options.h"
#include <math.h>

#define ASSETS 64
#define DAYS   24

struct desk {
	double price[ASSETS];
	double strike[ASSETS];
	double rate;
	unsigned int state;
	long news;
};

static void desk_open(struct desk *d, int rank)
{
	d->rate = 0.03;
	d->state = 1234567u + 89u * (unsigned int)rank;
	for (int i = 0; i < ASSETS; i++) {
		d->price[i] = 90.0 + i % 23;
		d->strike[i] = 100.0 + i % 7;
	}
}

static double draw(struct desk *d)
{
	double u, v;

	d->state = d->state * 1664525u + 1013904223u;
	u = ((d->state >> 8) + 1) / 16777217.0;
	d->state = d->state * 1664525u + 1013904223u;
	v = (d->state >> 8) / 16777216.0;
	return sqrt(-2.0 * log(u)) * cos(6.283185307 * v);
}

/* Is there a new rate?  It comes at the end of a session only. */
static int news_look(struct desk *d)
{
	int there = 0;

	MPI_Iprobe(MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &there,
		   MPI_STATUS_IGNORE);
	d->news += there;
	return there;
}

static double path_sample(struct desk *d, int asset, const struct options *o)
{
	double price = d->price[asset];

	for (int day = 0; day < DAYS; day++) {
		if (!o->mended && day % 4 == 0)
			news_look(d);
		price *= 1.0 + d->rate / 252 + 0.01 * draw(d);
	}
	return price;
}

static double asset_value(struct desk *d, int asset, const struct options *o)
{
	double sum = 0.0;

	for (int path = 0; path < 40; path++)
		sum += fmax(0.0, path_sample(d, asset, o) - d->strike[asset]);
	return sum / 40 * exp(-d->rate * DAYS / 252);
}

static double normal(double x)
{
	return 0.5 * erfc(-x * 0.70710678);
}

/* The known formula, as a check. */
static double asset_formula(const struct desk *d, int asset)
{
	double sum = 0.0;

	for (int k = 1; k <= 60; k++) {
		double v = 0.01 * k;
		double q = log(d->price[asset] / d->strike[asset]) / v;

		sum += d->price[asset] * normal(q + v) -
		       d->strike[asset] * normal(q - v);
	}
	return sum / 60;
}

/* The news of a session goes round. */
static void session_close(struct desk *d, const struct options *o)
{
	double rate = d->rate, next;
	int to = (o->rank + 1) % o->ranks;

	MPI_Sendrecv(&rate, 1, MPI_DOUBLE, to, 9, &next, 1, MPI_DOUBLE,
		     MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	d->rate = 0.999 * next + 0.00004;
}

int main(int argc, char **argv)
{
	static struct desk d;
	struct options o;
	double value = 0.0;
	int sessions;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	desk_open(&d, o.rank);
	sessions = options_times(&o, 40);
	for (int session = 0; session < sessions; session++) {
		for (int asset = 0; asset < ASSETS; asset++)
			value += asset_value(&d, asset, &o) -
				 0.1 * asset_formula(&d, asset);
		session_close(&d, &o);
	}
	options_report(&o, value);
	MPI_Finalize();
	return 0;
}
