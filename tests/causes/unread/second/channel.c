/* SPDX-License-Identifier: BSD-3-Clause */
/* Lattice Boltzmann flow (D2Q9) past posts in a channel, split by rows. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX 400
#define NY 120
#define Q  9

static const int cx[Q] = { 0, 1, 0, -1, 0, 1, -1, -1, 1 };
static const int cy[Q] = { 0, 0, 1, 0, -1, 1, 1, -1, -1 };
static const int back[Q] = { 0, 3, 4, 1, 2, 7, 8, 5, 6 };
static const double wt[Q] = { 4. / 9,  1. / 9,  1. / 9,  1. / 9, 1. / 9,
			      1. / 36, 1. / 36, 1. / 36, 1. / 36 };

typedef struct {
	double (*f)[NX][Q], (*g)[NX][Q];
	unsigned char (*post)[NX];
	int rank, size;
} lattice;

static void *block(size_t row)
{
	void *p = calloc(NY + 2, row);
	if (!p)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return p;
}

static void lattice_init(lattice *l)
{
	l->f = block(sizeof *l->f);
	l->g = block(sizeof *l->g);
	l->post = block(sizeof *l->post);
	for (int y = 0; y < NY + 2; y++)
		for (int x = 0; x < NX; x++) {
			double dx = x % 100 - 50, dy = (y - 1 + NY) % 60 - 30;
			l->post[y][x] = dx * dx + dy * dy < 60;
			for (int q = 0; q < Q; q++)
				l->f[y][x][q] =
					wt[q] * (1.0 + 0.3 * cx[q] * 0.1);
		}
}

static void swap_rows(lattice *l)
{
	int up = (l->rank + 1) % l->size,
	    down = (l->rank + l->size - 1) % l->size;
	MPI_Request r[4];
	MPI_Irecv(l->f[0], NX * Q, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(l->f[NY + 1], NX * Q, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		  &r[1]);
	MPI_Isend(l->f[NY], NX * Q, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(l->f[1], NX * Q, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &r[3]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

static void collide(const double *in, double *out, double omega)
{
	double rho = 0, ux = 0, uy = 0, uu;
	for (int q = 0; q < Q; q++) {
		rho += in[q];
		ux += in[q] * cx[q];
		uy += in[q] * cy[q];
	}
	ux = ux / rho + 1e-5;
	uy /= rho;
	uu = 1.5 * (ux * ux + uy * uy);
	for (int q = 0; q < Q; q++) {
		double c = 3.0 * (cx[q] * ux + cy[q] * uy);
		out[q] = in[q] +
			 omega * (wt[q] * rho * (1.0 + c + 0.5 * c * c - uu) -
				  in[q]);
	}
}

static void update(lattice *l, double omega)
{
	void *t;
	for (int y = 1; y <= NY; y++)
		for (int x = 0; x < NX; x++) {
			double in[Q];
			for (int q = 0; q < Q; q++) {
				int xs = (x - cx[q] + NX) % NX, ys = y - cy[q];
				in[q] = l->post[ys][xs] ? l->f[y][x][back[q]]
							: l->f[ys][xs][q];
			}
			collide(in, l->g[y][x], omega);
		}
	t = l->f;
	l->f = l->g;
	l->g = t;
}

static double momentum(const lattice *l)
{
	double m = 0;
	for (int y = 1; y <= NY; y++)
		for (int x = 0; x < NX; x++)
			for (int q = 0; q < Q; q++)
				m += cx[q] * l->f[y][x][q];
	return m / (NX * NY);
}

int main(int argc, char **argv)
{
	lattice l;
	double m, mean = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &l.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &l.size);
	int steps = argc > 1 ? atoi(argv[1]) : 1300;
	lattice_init(&l);
	for (int n = 0; n < steps; n++) {
		swap_rows(&l);
		update(&l, 1.2);
		if (n % 200 == 199) {
			m = momentum(&l);
			MPI_Allreduce(&m, &mean, 1, MPI_DOUBLE, MPI_SUM,
				      MPI_COMM_WORLD);
		}
	}
	if (l.rank == 0)
		printf("mean momentum %.12f\n", mean / l.size);
	free(l.f);
	free(l.g);
	free(l.post);
	MPI_Finalize();
	return 0;
}
