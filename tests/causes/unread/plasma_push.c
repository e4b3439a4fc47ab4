/* SPDX-License-Identifier: BSD-3-Clause */
/* Charged particles in a box with a wind to the right. Each rank keeps the
 * particles between two planes; the field is that of the whole box. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRID   4096
#define MOVING 4000 /* at most, in one step */

struct particle {
	double x, v, w;
};

static struct particle *parts, leaving[2][MOVING], coming[MOVING];
static double charge[GRID + 1], field[GRID + 1];
static int rank, size, count, mended;

static void load_particles(int total)
{
	unsigned s = 99 + rank;

	count = total / size;
	parts = malloc(total * sizeof *parts);
	for (int i = 0; i < count; i++) {
		s = s * 1664525u + 1013904223u;
		parts[i].x = (rank + (s >> 8) / 16777216.0) / size;
		s = s * 1664525u + 1013904223u;
		parts[i].v = 0.6 + 0.4 * ((s >> 8) / 16777216.0);
		parts[i].w = 1.0 / total;
	}
}

static void push(double dt)
{
	for (int i = 0; i < count; i++) {
		struct particle *p = &parts[i];
		int cell = p->x * GRID;
		double f = p->x * GRID - cell;
		double e = (1 - f) * field[cell] + f * field[cell + 1];
		double gamma = sqrt(1 + p->v * p->v);

		p->v += dt * e / gamma;
		p->x += dt * p->v * (1 - p->x) / gamma;
		if (p->x < 0)
			p->x = 0;
		if (p->x > 0.999999)
			p->x = 0.999999;
	}
}

static void deposit(void)
{
	memset(charge, 0, sizeof charge);
	for (int i = 0; i < count; i++) {
		int cell = parts[i].x * GRID;
		double f = parts[i].x * GRID - cell;

		charge[cell] += (1 - f) * parts[i].w;
		charge[cell + 1] += f * parts[i].w;
	}
}

static void transfer(struct particle *out, int n, int to, int from)
{
	MPI_Status status;
	int bytes;

	MPI_Sendrecv(out, n * sizeof *out, MPI_BYTE, to, 5, coming,
		     sizeof coming, MPI_BYTE, from, 5, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_BYTE, &bytes);
	if (from == MPI_PROC_NULL)
		bytes = 0;
	memcpy(parts + count, coming, bytes);
	count += bytes / sizeof *coming;
}

static void cross_planes(void)
{
	double low = (double)rank / size, high = (double)(rank + 1) / size;
	int n[2] = { 0, 0 };
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;

	for (int i = 0; i < count; i++) {
		int side = parts[i].x >= high && rank < size - 1 ? 1
			   : parts[i].x < low && rank > 0        ? 0
								 : -1;

		if (side < 0 || n[side] == MOVING)
			continue;
		leaving[side][n[side]++] = parts[i];
		parts[i--] = parts[--count];
	}
	transfer(leaving[1], n[1], right, left);
	transfer(leaving[0], n[0], left, right);
}

static void solve_field(void)
{
	static double all[GRID + 1];
	double sum = 0;

	MPI_Allreduce(charge, all, GRID + 1, MPI_DOUBLE, MPI_SUM,
		      MPI_COMM_WORLD);
	for (int i = 0; i <= GRID; i++) {
		sum += all[i] - 1.0 / (GRID + 1);
		field[i] = -0.05 * sum;
	}
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, began, most;
	int steps = 300 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !strcmp(argv[2], "fixed");
	load_particles(1000000);
	began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		deposit();
		solve_field();
		push(1.2 / steps);
		if (!mended)
			cross_planes();
	}
	most = count;
	MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX,
		      MPI_COMM_WORLD);
	if (rank == 0)
		printf("particles %.0f, field %.4e, %.2f s\n", most,
		       field[GRID / 2], MPI_Wtime() - began);
	MPI_Finalize();
	return 0;
}
