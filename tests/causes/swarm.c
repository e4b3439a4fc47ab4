/* SPDX-License-Identifier: BSD-3-Clause */
/* Birds in a ring of cages look at those of the two cages beside theirs. */
#include "options.h"
#include <math.h>

#define BIRDS 30000

struct bird {
	double x, y, heading;
};

struct cage {
	struct bird *all, *own, *left, *right;
};

static void cage_fill(struct cage *c, const struct options *o)
{
	c->all = malloc(sizeof(*c->all) * BIRDS * o->ranks);
	c->own = malloc(sizeof(*c->own) * BIRDS);
	c->left = malloc(sizeof(*c->left) * BIRDS);
	c->right = malloc(sizeof(*c->right) * BIRDS);
	for (int i = 0; i < BIRDS; i++) {
		c->own[i].x = 0.001 * (i % 1000);
		c->own[i].y = 0.001 * (i * 7 % 1000);
		c->own[i].heading = 0.01 * ((i + 17 * o->rank) % 628);
	}
}

/* The first birds of a cage are those at its walls. */
#define WALL 32

/* Everybody's birds, of which a few are looked at. */
static void cage_look(struct cage *c, const struct options *o)
{
	int left = (o->rank + o->ranks - 1) % o->ranks;
	int right = (o->rank + 1) % o->ranks;
	int bytes = WALL * (int)sizeof(struct bird);

	if (o->mended) {
		MPI_Sendrecv(c->own, bytes, MPI_BYTE, right, 1, c->left, bytes,
			     MPI_BYTE, left, 1, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		MPI_Sendrecv(c->own, bytes, MPI_BYTE, left, 2, c->right, bytes,
			     MPI_BYTE, right, 2, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		return;
	}
	MPI_Allgather(c->own, BIRDS * (int)sizeof(struct bird), MPI_BYTE,
		      c->all, BIRDS * (int)sizeof(struct bird), MPI_BYTE,
		      MPI_COMM_WORLD);
	memcpy(c->left, c->all + (size_t)left * BIRDS, bytes);
	memcpy(c->right, c->all + (size_t)right * BIRDS, bytes);
}

static void birds_turn(struct cage *c)
{
	double x = 0.0, y = 0.0;

	for (int i = 0; i < WALL; i++) {
		x += cos(c->left[i].heading) + cos(c->right[i].heading);
		y += sin(c->left[i].heading) + sin(c->right[i].heading);
	}
	for (int i = 0; i < BIRDS; i++)
		c->own[i].heading += 1e-5 * (x * c->own[i].y - y * c->own[i].x);
}

static void birds_fly(struct cage *c, int step)
{
	for (int i = step % 8; i < BIRDS; i += 8) {
		c->own[i].x += 1e-4 * cos(c->own[i].heading);
		c->own[i].y += 1e-4 * sin(c->own[i].heading);
	}
}

int main(int argc, char **argv)
{
	struct options o;
	struct cage c;
	double sum = 0.0;
	int steps;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	cage_fill(&c, &o);
	steps = options_times(&o, 1500);
	for (int step = 0; step < steps; step++) {
		cage_look(&c, &o);
		birds_turn(&c);
		birds_fly(&c, step);
	}
	for (int i = 0; i < BIRDS; i++)
		sum += c.own[i].x + c.own[i].heading;
	options_report(&o, sum);
	free(c.all);
	free(c.own);
	free(c.left);
	free(c.right);
	MPI_Finalize();
	return 0;
}
