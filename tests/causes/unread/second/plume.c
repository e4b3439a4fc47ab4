/* SPDX-License-Identifier: BSD-3-Clause */
/* Smoke transport over a city: 3-D advection, diffusion and deposition. */
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NX    192
#define NY    160
#define NZ    160
#define ROW   (NX)
#define SLAB  ((size_t)NX * NY)
#define CELLS (SLAB * (NZ + 2))

typedef struct {
	double *v;
} volume;

typedef struct {
	volume smoke, soot;
	int rank, size;
} domain;

static volume volume_open(void)
{
	volume a = { calloc(CELLS, sizeof(double)) };
	if (!a.v)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return a;
}

static void volume_close(volume *a)
{
	free(a->v);
	a->v = NULL;
}

static void halo(volume *a, const domain *d)
{
	int up = (d->rank + 1) % d->size,
	    down = (d->rank + d->size - 1) % d->size;
	MPI_Sendrecv(a->v + SLAB * NZ, (int)SLAB, MPI_DOUBLE, up, 1, a->v,
		     (int)SLAB, MPI_DOUBLE, down, 1, MPI_COMM_WORLD,
		     MPI_STATUS_IGNORE);
	MPI_Sendrecv(a->v + SLAB, (int)SLAB, MPI_DOUBLE, down, 2,
		     a->v + SLAB * (NZ + 1), (int)SLAB, MPI_DOUBLE, up, 2,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void release(domain *d, int step)
{
	for (int k = 1; k <= NZ; k += 40)
		for (int j = 20; j < NY - 20; j += 30)
			d->smoke.v[SLAB * (size_t)k + (size_t)ROW * (size_t)j +
				   8] += 1.0 + 0.5 * sin(0.3 * step + d->rank);
}

static volume flux_along(const volume *a, size_t stride, double wind)
{
	volume f = volume_open();
#pragma omp parallel for schedule(static)
	for (int k = 1; k <= NZ; k++)
		for (int j = 1; j < NY - 1; j++) {
			size_t base =
				SLAB * (size_t)k + (size_t)ROW * (size_t)j;
			for (size_t c = base + 1; c < base + NX - 1; c++) {
				double l = a->v[c - stride], m = a->v[c],
				       r = a->v[c + stride];
				double slope = (r - m) * (m - l) > 0
						       ? 0.5 * (r - l)
						       : 0.0;
				f.v[c] = wind * (m +
						 0.5 * (1.0 - wind) * slope) -
					 0.04 * (r - m);
			}
		}
	return f;
}

static void divergence(volume *a, const volume *fx, const volume *fy,
		       const volume *fz)
{
#pragma omp parallel for schedule(static)
	for (int k = 1; k <= NZ; k++)
		for (int j = 1; j < NY - 1; j++) {
			size_t base =
				SLAB * (size_t)k + (size_t)ROW * (size_t)j;
			for (size_t c = base + 1; c < base + NX - 1; c++)
				a->v[c] += fx->v[c - 1] - fx->v[c] +
					   fy->v[c - ROW] - fy->v[c] +
					   fz->v[c - SLAB] - fz->v[c];
		}
}

static void transport(volume *a, const domain *d)
{
	volume fx, fy, fz;
	halo(a, d);
	fx = flux_along(a, 1, 0.3);
	fy = flux_along(a, ROW, 0.1);
	fz = flux_along(a, SLAB, 0.05);
	halo(&fz, d);
	divergence(a, &fx, &fy, &fz);
	volume_close(&fz);
	volume_close(&fy);
	volume_close(&fx);
}

static double deposit(volume *smoke, volume *soot)
{
	double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int k = 1; k <= NZ; k++)
		for (size_t c = SLAB * (size_t)k; c < SLAB * (size_t)(k + 1);
		     c++) {
			double q = 0.002 * smoke->v[c];
			smoke->v[c] -= q;
			soot->v[c] += q;
			sum += q;
		}
	return sum;
}

int main(int argc, char **argv)
{
	domain d;
	int provided, steps;
	double fallen = 0, total = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &d.size);
	steps = argc > 1 ? atoi(argv[1]) : 40;
	d.smoke = volume_open();
	d.soot = volume_open();
	for (int n = 0; n < steps; n++) {
		release(&d, n);
		transport(&d.smoke, &d);
		fallen += deposit(&d.smoke, &d.soot);
	}
	MPI_Reduce(&fallen, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (d.rank == 0)
		printf("deposited %.10f on %d processes of %d threads\n",
		       total / d.size, d.size, omp_get_max_threads());
	volume_close(&d.smoke);
	volume_close(&d.soot);
	MPI_Finalize();
	return 0;
}
