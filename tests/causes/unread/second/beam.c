/* SPDX-License-Identifier: BSD-3-Clause */
/* Electrostatic particle-in-cell code, one slab of cells per process. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NCELL  512
#define PLASMA 60000

typedef struct {
	double x, v, w;
} particle;

typedef struct {
	particle *p;
	int n, cap;
} species;

static int rank, size;
static double x0, x1, length;
static double rho[NCELL + 2], field[NCELL + 2];
static unsigned long seed;

static double uniform(void)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static void species_add(species *s, particle q)
{
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 4096;
		s->p = realloc(s->p, (size_t)s->cap * sizeof *s->p);
		if (!s->p)
			MPI_Abort(MPI_COMM_WORLD, 3);
	}
	s->p[s->n++] = q;
}

static void load_plasma(species *s)
{
	for (int i = 0; i < PLASMA; i++) {
		particle q = { x0 + (x1 - x0) * uniform(),
			       0.05 * (uniform() - 0.5), 1.0 };
		species_add(s, q);
	}
}

static void load_bunch(species *s, int count, double speed)
{
	if (rank != 0)
		return;
	for (int i = 0; i < count; i++) {
		double r = uniform() + uniform() + uniform() - 1.5;
		particle q = { x0 + NCELL * (0.15 + 0.08 * r),
			       speed * (1.0 + 0.01 * r), 0.2 };
		species_add(s, q);
	}
}

static void deposit(const species *s)
{
	for (int i = 0; i < s->n; i++) {
		double c = s->p[i].x - x0;
		int k = (int)c;
		double f = c - k;
		if (k < 0)
			k = 0;
		if (k >= NCELL)
			k = NCELL - 1;
		rho[k + 1] += s->p[i].w * (1.0 - f);
		rho[k + 2 > NCELL + 1 ? NCELL + 1 : k + 2] += s->p[i].w * f;
	}
}

static void solve_field(void)
{
	int up = (rank + 1) % size, down = (rank + size - 1) % size;
	double spill = rho[NCELL + 1], in = 0, sum = 0, base = 0;
	MPI_Sendrecv(&spill, 1, MPI_DOUBLE, up, 1, &in, 1, MPI_DOUBLE, down, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	rho[1] += in;
	for (int k = 1; k <= NCELL; k++)
		sum += rho[k] - PLASMA / (double)NCELL;
	MPI_Exscan(&sum, &base, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		base = 0;
	for (int k = 1; k <= NCELL; k++) {
		base += rho[k] - PLASMA / (double)NCELL;
		field[k] = 1e-7 * base;
	}
	MPI_Sendrecv(&field[1], 1, MPI_DOUBLE, down, 2, &field[NCELL + 1], 1,
		     MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void push(species *s, double dt)
{
	for (int i = 0; i < s->n; i++) {
		particle *q = &s->p[i];
		double c = q->x - x0;
		int k = (int)c;
		double f = c - k;
		if (k < 0)
			k = 0;
		if (k >= NCELL)
			k = NCELL - 1;
		double e = field[k + 1] * (1.0 - f) +
			   field[k + 2 > NCELL + 1 ? NCELL + 1 : k + 2] * f;
		double gam = 1.0 / sqrt(1.0 + q->v * q->v);
		q->v -= dt * e * gam * q->w;
		q->x += dt * q->v * gam;
	}
}

static void pass(species *s, int to, int from, int tag, const species *out)
{
	int nin = 0;
	MPI_Sendrecv(&out->n, 1, MPI_INT, to, tag, &nin, 1, MPI_INT, from, tag,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	particle *in = malloc(sizeof *in * (size_t)(nin + 1));
	MPI_Sendrecv(out->p, out->n * 3, MPI_DOUBLE, to, tag + 1, in, nin * 3,
		     MPI_DOUBLE, from, tag + 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	for (int i = 0; i < nin; i++) {
		if (in[i].x >= length)
			in[i].x -= length;
		if (in[i].x < 0)
			in[i].x += length;
		species_add(s, in[i]);
	}
	free(in);
}

static void migrate(species *s)
{
	static species hi, lo;
	int keep = 0;
	hi.n = lo.n = 0;
	for (int i = 0; i < s->n; i++) {
		if (s->p[i].x >= x1)
			species_add(&hi, s->p[i]);
		else if (s->p[i].x < x0)
			species_add(&lo, s->p[i]);
		else
			s->p[keep++] = s->p[i];
	}
	s->n = keep;
	pass(s, (rank + 1) % size, (rank + size - 1) % size, 10, &hi);
	pass(s, (rank + size - 1) % size, (rank + 1) % size, 20, &lo);
}

int main(int argc, char **argv)
{
	species plasma = { 0 }, bunch = { 0 };
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int steps = argc > 1 ? atoi(argv[1]) : 2200;
	x0 = (double)rank * NCELL;
	x1 = x0 + NCELL;
	length = (double)size * NCELL;
	seed = 77 + (unsigned long)rank;
	double dt = 0.8 * length / (0.7 * steps);
	load_plasma(&plasma);
	load_bunch(&bunch, 2 * PLASMA, 1.0);
	for (int n = 0; n < steps; n++) {
		memset(rho, 0, sizeof rho);
		deposit(&plasma);
		deposit(&bunch);
		solve_field();
		push(&plasma, dt);
		push(&bunch, dt);
		migrate(&plasma);
		migrate(&bunch);
	}
	double e = 0, et = 0;
	for (int i = 0; i < plasma.n; i++)
		e += plasma.p[i].v * plasma.p[i].v;
	for (int i = 0; i < bunch.n; i++)
		e += bunch.p[i].v * bunch.p[i].v * bunch.p[i].w;
	MPI_Reduce(&e, &et, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("kinetic energy %.6f\n", et / size);
	MPI_Finalize();
	return 0;
}
