/* SPDX-License-Identifier: BSD-3-Clause */
/* Particles in slabs: after each step those that left their slab go to the
 * neighbour's. Particles keep their identity, and slots their order. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL   24000
#define LEAVING 1700
#define NEAR    70

struct atom {
	double pos[3], vel[3];
	long id, type;
};

static struct atom atoms[LOCAL], spare[LEAVING];
static int rank, size, mended;

static double noise(unsigned *s)
{
	*s = *s * 1664525u + 1013904223u;
	return (*s >> 8) / 16777216.0;
}

static void place_atoms(void)
{
	unsigned seed = 17 + rank;

	for (int i = 0; i < LOCAL; i++) {
		for (int d = 0; d < 3; d++) {
			atoms[i].pos[d] = noise(&seed);
			atoms[i].vel[d] = noise(&seed) - 0.5;
		}
		atoms[i].id = (long)rank * LOCAL + i;
		atoms[i].type = i % 3;
	}
}

static double pair_forces(void)
{
	double energy = 0;

	for (int i = 0; i < LOCAL; i++) {
		double f[3] = { 0, 0, 0 };

		for (int k = 1; k <= NEAR; k++) {
			const struct atom *b = &atoms[(i + k) % LOCAL];
			double d[3], r2 = 0.05, w;

			for (int c = 0; c < 3; c++) {
				d[c] = atoms[i].pos[c] - b->pos[c];
				r2 += d[c] * d[c];
			}
			w = 1 / (r2 * r2 * r2);
			energy += w;
			for (int c = 0; c < 3; c++)
				f[c] += w * d[c];
		}
		for (int c = 0; c < 3; c++)
			atoms[i].vel[c] += 1e-9 * f[c];
	}
	return energy;
}

static void integrate(void)
{
	for (int i = 0; i < LOCAL; i++)
		for (int c = 0; c < 3; c++)
			atoms[i].pos[c] += 1e-4 * atoms[i].vel[c];
}

static void exchange_atoms(int to, int from)
{
	struct atom *out = atoms;

	for (int i = 0; i < LEAVING; i++)
		MPI_Send(&out[i], sizeof *out, MPI_BYTE, to, i, MPI_COMM_WORLD);
	for (int i = LEAVING - 1; i >= 0; i--)
		MPI_Recv(&spare[i], sizeof *spare, MPI_BYTE, from, i,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	memcpy(out, spare, sizeof spare);
}

static void exchange_packed(int to, int from)
{
	MPI_Sendrecv(atoms, LEAVING * sizeof *atoms, MPI_BYTE, to, 0, spare,
		     LEAVING * sizeof *atoms, MPI_BYTE, from, 0, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	memcpy(atoms, spare, sizeof spare);
}

static void migrate(int step)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	int to = step % 2 ? right : left, from = step % 2 ? left : right;

	if (mended)
		exchange_packed(to, from);
	else
		exchange_atoms(to, from);
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, energy = 0, all, began;
	int steps = 120 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !strcmp(argv[2], "fixed");
	place_atoms();
	began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		energy = pair_forces();
		integrate();
		migrate(step);
	}
	MPI_Reduce(&energy, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("energy %.6e, %.2f s\n", all, MPI_Wtime() - began);
	MPI_Finalize();
	return 0;
}
