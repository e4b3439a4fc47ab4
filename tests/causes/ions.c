/* SPDX-License-Identifier: BSD-3-Clause */
/* Ions in a channel of cells; those that leave at the right go to the next. */
#include "options.h"
#include <math.h>

#define MOST  60000
#define IONS  20000
#define CELLS 512

struct ion {
	float x, v;
};

struct channel {
	struct ion ions[MOST];
	struct ion leaving[MOST];
	double charge[CELLS], field[CELLS];
	int count, left;
};

static void channel_fill(struct channel *c, int rank)
{
	c->count = IONS;
	for (int i = 0; i < IONS; i++) {
		c->ions[i].x = (float)((i * 7919) % IONS) / IONS;
		c->ions[i].v = 0.04f + 1e-6f * ((i * 31 + rank) % 1000);
	}
}

static void ions_move(struct channel *c)
{
	int kept = 0;

	c->left = 0;
	for (int i = 0; i < c->count; i++) {
		struct ion ion = c->ions[i];

		ion.x += ion.v + 1e-5f * (float)c->field[(int)(ion.x * 511)];
		if (ion.x >= 1.0f) {
			ion.x -= 1.0f;
			c->leaving[c->left++] = ion;
		} else {
			c->ions[kept++] = ion;
		}
	}
	c->count = kept;
}

static int ions_arrive(struct channel *c, int from, int most)
{
	MPI_Status status;
	int bytes;

	MPI_Recv(&c->ions[c->count], most * (int)sizeof(struct ion), MPI_BYTE,
		 from, 2, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	c->count += bytes / (int)sizeof(struct ion);
	return bytes;
}

/* An empty message ends the crossing. */
static void ions_cross(struct channel *c, const struct options *o)
{
	int to = (o->rank + 1) % o->ranks;
	int from = (o->rank + o->ranks - 1) % o->ranks;
	int each = o->mended ? 400 : 1;

	for (int i = 0; i < c->left; i += each) {
		int count = c->left - i < each ? c->left - i : each;

		MPI_Send(&c->leaving[i], count * (int)sizeof(struct ion),
			 MPI_BYTE, to, 2, MPI_COMM_WORLD);
	}
	MPI_Send(NULL, 0, MPI_BYTE, to, 2, MPI_COMM_WORLD);
	while (ions_arrive(c, from, each))
		;
}

static void charge_deposit(struct channel *c)
{
	memset(c->charge, 0, sizeof(c->charge));
	for (int i = 0; i < c->count; i++)
		c->charge[(int)(c->ions[i].x * (CELLS - 1))] += 0.01;
}

static void field_solve(struct channel *c)
{
	for (int sweep = 0; sweep < 150; sweep++)
		for (int i = 1; i < CELLS - 1; i++)
			c->field[i] = 0.5 * (c->field[i - 1] + c->field[i + 1] +
					     1e-3 * sin(c->charge[i] - 0.4));
}

int main(int argc, char **argv)
{
	static struct channel c;
	struct options o;
	double sum = 0.0;
	int steps;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	channel_fill(&c, o.rank);
	steps = options_times(&o, 800);
	for (int step = 0; step < steps; step++) {
		ions_move(&c);
		ions_cross(&c, &o);
		charge_deposit(&c);
		field_solve(&c);
	}
	for (int i = 0; i < c.count; i++)
		sum += c.ions[i].x;
	options_report(&o, sum);
	MPI_Finalize();
	return 0;
}
