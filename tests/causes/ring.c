/* SPDX-License-Identifier: BSD-3-Clause */
/* All pairs of charges: blocks of them go round the ring while one computes. */
#include "options.h"
#include <math.h>

#define CHARGES 1000

struct block {
	double x[CHARGES], y[CHARGES], q[CHARGES];
};

struct ring {
	struct block own, here, next;
	double force[CHARGES];
	MPI_Request requests[2];
};

static void block_make(struct block *b, int rank)
{
	for (int i = 0; i < CHARGES; i++) {
		b->x[i] = sin(0.37 * i + rank);
		b->y[i] = cos(0.73 * i - rank);
		b->q[i] = i & 1 ? 1.0 : -1.0;
	}
}

static void block_pass(struct ring *r, const struct options *o)
{
	int count = (int)(sizeof(r->here) / sizeof(double));
	int to = (o->rank + 1) % o->ranks;
	int from = (o->rank + o->ranks - 1) % o->ranks;

	MPI_Irecv(&r->next, count, MPI_DOUBLE, from, 6, MPI_COMM_WORLD,
		  &r->requests[0]);
	MPI_Isend(&r->here, count, MPI_DOUBLE, to, 6, MPI_COMM_WORLD,
		  &r->requests[1]);
}

static void block_interact(struct ring *r)
{
	for (int i = 0; i < CHARGES; i++) {
		double sum = 0.0;

		for (int j = 0; j < CHARGES; j++) {
			double dx = r->own.x[i] - r->here.x[j];
			double dy = r->own.y[i] - r->here.y[j];

			sum += r->here.q[j] / sqrt(dx * dx + dy * dy + 0.01);
		}
		r->force[i] += r->own.q[i] * sum;
	}
}

static void charges_move(struct ring *r)
{
	for (int i = 0; i < CHARGES; i++) {
		r->own.x[i] += 1e-6 * r->force[i];
		r->own.y[i] -= 1e-6 * r->force[i] * sin(r->own.x[i]);
		r->force[i] = 0.0;
	}
}

int main(int argc, char **argv)
{
	static struct ring r;
	struct options o;
	double sum = 0.0;
	int rounds;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	block_make(&r.own, o.rank);
	rounds = options_times(&o, 280) / o.ranks + 1;
	for (int round = 0; round < rounds; round++) {
		r.here = r.own;
		for (int hop = 0; hop < o.ranks; hop++) {
			block_pass(&r, &o);
			block_interact(&r);
			MPI_Waitall(2, r.requests, MPI_STATUSES_IGNORE);
			r.here = r.next;
		}
		charges_move(&r);
	}
	for (int i = 0; i < CHARGES; i++)
		sum += r.own.x[i] + r.own.y[i];
	options_report(&o, sum);
	MPI_Finalize();
	return 0;
}
