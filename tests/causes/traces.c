/* SPDX-License-Identifier: BSD-3-Clause */
/* Stations filter their traces; the first rank picks events among them. */
#include "options.h"
#include <math.h>

#define SAMPLES 65536
#define LINES   300

struct station {
	double raw[SAMPLES];
	double other[SAMPLES];
	double lines[LINES];
	double pick;
};

static void station_record(struct station *s, int rank, int shot)
{
	unsigned int x = 99u + 31u * (unsigned int)(rank + 64 * shot);

	for (int i = 0; i < SAMPLES; i++) {
		x = x * 1664525u + 1013904223u;
		s->raw[i] = 1e-9 * x + sin(0.01 * i * (rank + 1));
	}
}

/* The reference station's spectrum, line by line. */
static void line_spectrum(struct station *s)
{
	for (int k = 0; k < LINES; k++) {
		double turn = 2.0 * cos(0.002 * (k + 1));
		double one = 0.0, two = 0.0;

		for (int i = 0; i < SAMPLES / 2; i++) {
			double next = s->raw[i] + turn * one - two;

			two = one;
			one = next;
		}
		s->lines[k] = one * one + two * two - turn * one * two;
	}
}

static void traces_receive(struct station *s, int ranks)
{
	for (int from = 1; from < ranks; from++) {
		MPI_Recv(s->other, SAMPLES, MPI_DOUBLE, from, 5, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		for (int i = 0; i < SAMPLES; i += 64)
			s->pick += 1e-6 * s->other[i];
	}
}

/* Four poles each way, several times. */
static double bandpass(struct station *s)
{
	double sum = 0.0;

	for (int pass = 0; pass < 70; pass++) {
		double low = 0.0, high = 0.0;

		for (int i = 0; i < SAMPLES; i++) {
			low += 0.1 * (s->raw[i] - low);
			high += 0.01 * (low - high);
			s->raw[i] = low - high;
		}
		sum += s->raw[SAMPLES / 2];
	}
	return sum;
}

/* The spectrum needs no trace of the others. */
static void reference_work(struct station *s, const struct options *o)
{
	if (o->mended) {
		traces_receive(s, o->ranks);
		line_spectrum(s);
	} else {
		line_spectrum(s);
		traces_receive(s, o->ranks);
	}
}

int main(int argc, char **argv)
{
	static struct station s;
	struct options o;
	double result = 0.0, level = 0.0;
	int shots;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	shots = options_times(&o, 76);
	for (int shot = 0; shot < shots; shot++) {
		station_record(&s, o.rank, shot);
		if (o.rank == 0) {
			reference_work(&s, &o);
			result += log(1.0 + s.lines[shot % LINES]);
		} else {
			MPI_Send(s.raw, SAMPLES, MPI_DOUBLE, 0, 5,
				 MPI_COMM_WORLD);
			result += bandpass(&s);
		}
		MPI_Allreduce(&s.pick, &level, 1, MPI_DOUBLE, MPI_MAX,
			      MPI_COMM_WORLD);
	}
	options_report(&o, result + level / o.ranks);
	MPI_Finalize();
	return 0;
}
