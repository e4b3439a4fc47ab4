/* SPDX-License-Identifier: BSD-3-Clause */
/* Spins on a ring of strips; the state is written out from time to time. */
#include "options.h"
#include <math.h>

#define SITES 20000
#define LINE  48

struct strip {
	double angle[SITES];
	double field[SITES];
};

struct listing {
	FILE *to;
	char *text;
	double *angles;
	long bytes;
};

static void strip_fill(struct strip *s, int rank)
{
	for (int i = 0; i < SITES; i++) {
		s->angle[i] = 0.01 * ((i * 7 + rank * 13) % 311);
		s->field[i] = 0.001 * ((i * 11 + rank) % 97);
	}
}

static void strip_precess(struct strip *s)
{
	double before = s->angle[SITES - 1];

	for (int i = 0; i < SITES - 1; i++) {
		double torque = sin(before - s->angle[i]) +
				sin(s->angle[i + 1] - s->angle[i]);

		before = s->angle[i];
		s->angle[i] += 0.01 * (torque + s->field[i]);
	}
}

static int sites_format(char *text, const double *angles, int first, int count)
{
	int length = 0;

	for (int i = 0; i < count; i++)
		length += snprintf(text + length, LINE, "%8d %14.9f %14.9f\n",
				   first + i, cos(angles[i]), sin(angles[i]));
	return length;
}

/* The lines have one length.  Mended, each rank makes its own. */
static void state_list(struct listing *l, const struct strip *s,
		       const struct options *o)
{
	int length;

	if (o->mended) {
		char *own = l->text + (size_t)SITES * LINE * o->ranks;

		length = sites_format(own, s->angle, o->rank * SITES, SITES);
		MPI_Gather(own, length, MPI_CHAR, l->text, length, MPI_CHAR, 0,
			   MPI_COMM_WORLD);
		length *= o->ranks;
	} else {
		MPI_Gather(s->angle, SITES, MPI_DOUBLE, l->angles, SITES,
			   MPI_DOUBLE, 0, MPI_COMM_WORLD);
		if (o->rank)
			return;
		length = sites_format(l->text, l->angles, 0, SITES * o->ranks);
	}
	if (o->rank)
		return;
	fwrite(l->text, 1, length, l->to);
	l->bytes += length;
	for (int i = 0; i < length; i += 501)
		l->bytes += l->text[i];
}

static double order_parameter(const struct strip *s)
{
	double x = 0.0, y = 0.0, all[2], own[2];

	for (int i = 0; i < SITES; i++) {
		x += cos(s->angle[i]);
		y += sin(s->angle[i]);
	}
	own[0] = x;
	own[1] = y;
	MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sqrt(all[0] * all[0] + all[1] * all[1]);
}

int main(int argc, char **argv)
{
	static struct strip s;
	struct options o;
	struct listing l = { 0 };
	double order = 0.0;
	int rounds;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	l.to = fopen("/dev/null", "w");
	l.text = malloc((size_t)SITES * LINE * (o.ranks + 1));
	l.angles = malloc(sizeof(double) * SITES * o.ranks);
	strip_fill(&s, o.rank);
	rounds = options_times(&o, 130);
	for (int round = 0; round < rounds; round++) {
		for (int step = 0; step < 10; step++)
			strip_precess(&s);
		order += order_parameter(&s) / o.ranks;
		state_list(&l, &s, &o);
	}
	options_report(&o, order + l.bytes);
	fclose(l.to);
	free(l.text);
	free(l.angles);
	MPI_Finalize();
	return 0;
}
