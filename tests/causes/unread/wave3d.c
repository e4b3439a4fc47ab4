/* SPDX-License-Identifier: BSD-3-Clause */
/* The wave equation in slabs, each rank the same; edges are exchanged while
 * the inner points are computed. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N    96
#define SLAB 160

typedef double plane[N][N];

static plane a[SLAB + 2], b[SLAB + 2];
static int rank, size;

static void leap(plane *now, plane *old, int z0, int z1)
{
	for (int z = z0; z <= z1; z++)
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++)
				old[z][y][x] = 2 * now[z][y][x] - old[z][y][x] +
					       0.1 * (now[z][y][x - 1] +
						      now[z][y][x + 1] +
						      now[z][y - 1][x] +
						      now[z][y + 1][x] +
						      now[z - 1][y][x] +
						      now[z + 1][y][x] -
						      6 * now[z][y][x]);
}

static void step(plane *now, plane *old)
{
	int up = (rank + 1) % size, down = (rank + size - 1) % size;
	MPI_Request r[4];

	MPI_Irecv(now[0], N * N, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(now[SLAB + 1], N * N, MPI_DOUBLE, up, 2, MPI_COMM_WORLD,
		  &r[1]);
	MPI_Isend(now[SLAB], N * N, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &r[2]);
	MPI_Isend(now[1], N * N, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &r[3]);
	leap(now, old, 2, SLAB - 1);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	leap(now, old, 1, 1);
	leap(now, old, SLAB, SLAB);
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, own = 0, all, began;
	int steps = 380 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int z = 0; z < SLAB + 2; z++)
		for (int y = 1; y < N - 1; y++)
			for (int x = 1; x < N - 1; x++)
				a[z][y][x] = b[z][y][x] =
					sin(0.1 * x) * sin(0.1 * y) *
					cos(0.2 * (z + rank * SLAB));
	began = MPI_Wtime();
	for (int s = 0; s < steps; s += 2) {
		step(a, b);
		step(b, a);
	}
	for (int z = 1; z <= SLAB; z++)
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++)
				own += a[z][y][x] * a[z][y][x];
	MPI_Reduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("energy %.6e, %.2f s\n", all, MPI_Wtime() - began);
	MPI_Finalize();
	return 0;
}
