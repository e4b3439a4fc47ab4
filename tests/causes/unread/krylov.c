/* SPDX-License-Identifier: BSD-3-Clause */
/* GMRES on a convection-diffusion matrix in one dimension, by rows. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS    12000
#define RESTART 40

static double basis[RESTART + 1][ROWS + 2], hess[RESTART + 1][RESTART + 1];
static double diag[ROWS + 2];
static int rank, size, mended;

static double dot(const double *a, const double *b)
{
	double own = 0, all;

	for (int i = 1; i <= ROWS; i++)
		own += a[i] * b[i];
	MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static void axpy(double *y, double f, const double *x)
{
	for (int i = 1; i <= ROWS; i++)
		y[i] += f * x[i];
}

static void halo(double *x)
{
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
	int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;

	MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, left, 0, &x[ROWS + 1], 1, MPI_DOUBLE,
		     right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&x[ROWS], 1, MPI_DOUBLE, right, 0, &x[0], 1, MPI_DOUBLE,
		     left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void precondition(double *y)
{
	for (int sweep = 0; sweep < 10; sweep++)
		for (int i = 1; i <= ROWS; i++)
			y[i] += 0.2 * (diag[i] * y[i] - 0.4 * y[i - 1]) /
				(1 + diag[i]);
}

static void multiply(double *y, double *x)
{
	halo(x);
	for (int i = 1; i <= ROWS; i++)
		y[i] = diag[i] * x[i] - 1.05 * x[i - 1] - 0.95 * x[i + 1];
	precondition(y);
}

static void orthogonalise(double *w, int k)
{
	for (int j = 0; j <= k; j++) {
		hess[j][k] = dot(w, basis[j]);
		axpy(w, -hess[j][k], basis[j]);
	}
}

static void orthogonalise_block(double *w, int k)
{
	double own[RESTART + 1], all[RESTART + 1];

	for (int j = 0; j <= k; j++) {
		own[j] = 0;
		for (int i = 1; i <= ROWS; i++)
			own[j] += w[i] * basis[j][i];
	}
	MPI_Allreduce(own, all, k + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int j = 0; j <= k; j++) {
		hess[j][k] = all[j];
		axpy(w, -all[j], basis[j]);
	}
}

static double arnoldi(void)
{
	double norm = 0;

	for (int k = 0; k < RESTART; k++) {
		double *w = basis[k + 1];

		multiply(w, basis[k]);
		if (mended)
			orthogonalise_block(w, k);
		else
			orthogonalise(w, k);
		norm = sqrt(dot(w, w));
		for (int i = 1; i <= ROWS; i++)
			w[i] /= norm;
	}
	return norm;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, norm = 0, began;
	int cycles = 14 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !strcmp(argv[2], "fixed");
	for (int i = 0; i < ROWS + 2; i++)
		diag[i] = 2.1 + 0.3 * sin(0.01 * (i + rank * ROWS));
	began = MPI_Wtime();
	for (int cycle = 0; cycle < cycles; cycle++) {
		for (int i = 1; i <= ROWS; i++)
			basis[0][i] = cos(0.001 * i * (cycle + 1)) /
				      sqrt(0.5 * ROWS * size);
		norm = arnoldi();
	}
	if (rank == 0)
		printf("norm %.6e, %.2f s\n", norm, MPI_Wtime() - began);
	MPI_Finalize();
	return 0;
}
