/* SPDX-License-Identifier: BSD-3-Clause */
/* Reaches of a river below a dam; the dam's rank gives the release. */
#include "options.h"
#include <math.h>

#define REACHES  3000
#define TURBINES 400

struct river {
	double depth[REACHES];
	double head, power;
};

static void river_fill(struct river *r, int rank)
{
	r->head = 40.0;
	for (int i = 0; i < REACHES; i++)
		r->depth[i] = 1.0 + 0.01 * ((i + rank * 7) % 53);
}

static double release_rule(const struct river *r, int hour)
{
	return 20.0 + 0.2 * r->head + 5.0 * sin(0.2618 * hour);
}

/* Yield of the turbines at this head; the release does not ask for it. */
static double turbine_schedule(const struct river *r, int hour)
{
	double best = 0.0;

	for (int t = 0; t < TURBINES; t++)
		for (int gate = 1; gate <= 360; gate++) {
			double flow = 0.05 * gate + 0.001 * t;
			double loss = 0.02 * pow(flow, 1.85);
			double yield = flow * (r->head - loss);

			best = fmax(best, yield * (1.0 + 1e-4 * (hour % 24)));
		}
	return best;
}

static void release_send(double release, int ranks)
{
	for (int to = 1; to < ranks; to++)
		MPI_Send(&release, 1, MPI_DOUBLE, to, 4, MPI_COMM_WORLD);
}

static void dam_hour(struct river *r, int hour, const struct options *o)
{
	double release = release_rule(r, hour);

	if (o->mended)
		release_send(release, o->ranks);
	r->power += turbine_schedule(r, hour);
	if (!o->mended)
		release_send(release, o->ranks);
	r->head += 0.01 * (24.0 - release);
}

static void reaches_route(struct river *r, double release)
{
	for (int sub = 0; sub < 24; sub++) {
		double above = 0.05 * release;

		for (int i = 0; i < REACHES; i++) {
			double out = 0.02 * pow(r->depth[i], 1.67);

			r->depth[i] += 0.02 * above - out;
			above = out;
		}
	}
}

static void reaches_hour(struct river *r)
{
	double release;

	MPI_Recv(&release, 1, MPI_DOUBLE, 0, 4, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	reaches_route(r, release);
}

static double flood_level(const struct river *r)
{
	double own = 0.0, most;

	for (int i = 0; i < REACHES; i++)
		own = fmax(own, r->depth[i]);
	MPI_Allreduce(&own, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return most;
}

int main(int argc, char **argv)
{
	static struct river r;
	struct options o;
	double result = 0.0;
	int hours;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	river_fill(&r, o.rank);
	hours = options_times(&o, 520);
	for (int hour = 0; hour < hours; hour++) {
		if (o.rank == 0)
			dam_hour(&r, hour, &o);
		else
			reaches_hour(&r);
		result += flood_level(&r);
	}
	options_report(&o, result + 1e-3 * r.power);
	MPI_Finalize();
	return 0;
}
