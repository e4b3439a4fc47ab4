/* SPDX-License-Identifier: BSD-3-Clause */
/* Photons in fog: packets of them are followed until they leave or fade. */
#include "options.h"
#include <math.h>

#define DEPTHS 128

struct tally {
	double absorbed[DEPTHS];
	double left;
	unsigned int state;
	long collisions;
};

static double draw(struct tally *t)
{
	t->state = t->state * 1664525u + 1013904223u;
	return ((t->state >> 8) + 1) / 16777217.0;
}

static void photon_follow(struct tally *t, double thickness)
{
	double x = 0.0, mu = 1.0, weight = 1.0;

	while (weight > 1e-3) {
		double phase = 2.0 * draw(t) - 1.0;

		x -= mu * log(draw(t));
		t->collisions++;
		if (x < 0.0 || x > thickness) {
			t->left += weight;
			return;
		}
		t->absorbed[(int)(x / thickness * (DEPTHS - 1))] +=
			0.04 * weight;
		weight *= 0.96;
		mu = 0.7 * mu + 0.3 * phase;
	}
}

/* How many photons a packet has: few have many. */
static int packet_size(int packet, int rank)
{
	unsigned int x = 2654435761u * (unsigned int)(packet * 61 + rank);

	x ^= x >> 15;
	x *= 2246822519u;
	x ^= x >> 13;
	return x % 6 ? 1 : 60;
}

/* No packet needs another's result. */
static void packets_run(struct tally *t, int packets, const struct options *o)
{
	for (int packet = 0; packet < packets; packet++) {
		int photons = packet_size(packet, o->rank);

		for (int i = 0; i < photons; i++)
			photon_follow(t, 6.0);
		if (!o->mended)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

static double profile_smooth(struct tally *t)
{
	double sum = 0.0;

	for (int sweep = 0; sweep < 500; sweep++)
		for (int i = 1; i < DEPTHS - 1; i++) {
			double mean =
				0.5 * (t->absorbed[i - 1] + t->absorbed[i + 1]);

			sum += fabs(log1p(mean) - log1p(t->absorbed[i]));
		}
	return sum / 500;
}

int main(int argc, char **argv)
{
	static struct tally t;
	struct options o;
	double rough = 0.0;
	int rounds;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	t.state = 777u + 13u * (unsigned int)o.rank;
	rounds = options_times(&o, 36);
	for (int round = 0; round < rounds; round++) {
		packets_run(&t, 1500, &o);
		rough += profile_smooth(&t);
	}
	options_report(&o, rough + t.left + t.collisions);
	MPI_Finalize();
	return 0;
}
