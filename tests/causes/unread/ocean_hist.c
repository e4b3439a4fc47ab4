/* SPDX-License-Identifier: BSD-3-Clause */
/* A small ocean: bands of rows, one band for each rank. The band in the
 * middle has a mooring, whose instruments keep a history. */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NX     512
#define NY     192
#define LEVELS 16

static double eta[NY + 2][NX], u[NY + 2][NX], v[NY + 2][NX];
static double temp[NY + 2][NX], tnew[NY + 2][NX];
static int rank, size, mended;

struct history {
	int fd;
	char path[256];
	char buffer[1 << 16];
	size_t fill;
};

struct sample {
	double time, depth, temp, salt, u, v;
	char quality[16];
};

static struct history mooring;

static void history_open(struct history *h)
{
	const char *dir = getenv("TMPDIR");

	snprintf(h->path, sizeof h->path, "%s/ocean_hist.XXXXXX",
		 dir ? dir : "/tmp");
	h->fd = mkstemp(h->path);
	if (h->fd < 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
}

static void history_commit(struct history *h)
{
	if (write(h->fd, h->buffer, h->fill) != (ssize_t)h->fill ||
	    fdatasync(h->fd) != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	h->fill = 0;
}

static void history_append(struct history *h, const struct sample *s)
{
	memcpy(h->buffer + h->fill, s, sizeof *s);
	h->fill += sizeof *s;
	if (!mended || h->fill > sizeof h->buffer - 2 * sizeof *s)
		history_commit(h);
}

static void sample_mooring(int step)
{
	int x = NX / 3, y = NY / 2;

	for (int k = 0; k < LEVELS; k++) {
		struct sample s = { .time = step * 600.0,
				    .depth = 50.0 * k,
				    .temp = temp[y][x] - 0.4 * k,
				    .salt = 35.0 + 0.01 * k,
				    .u = u[y][x],
				    .v = v[y][x],
				    .quality = "good" };

		history_append(&mooring, &s);
	}
}

static void swap_rows(double (*a)[NX])
{
	int up = (rank + 1) % size, down = (rank + size - 1) % size;

	MPI_Sendrecv(a[NY], NX, MPI_DOUBLE, up, 1, a[0], NX, MPI_DOUBLE, down,
		     1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(a[1], NX, MPI_DOUBLE, down, 2, a[NY + 1], NX, MPI_DOUBLE,
		     up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barotropic(void)
{
	for (int sub = 0; sub < 40; sub++) {
		for (int y = 1; y <= NY; y++)
			for (int x = 1; x < NX - 1; x++) {
				u[y][x] -=
					0.01 * (eta[y][x + 1] - eta[y][x - 1]) +
					1e-4 * v[y][x];
				v[y][x] -=
					0.01 * (eta[y + 1][x] - eta[y - 1][x]) -
					1e-4 * u[y][x];
			}
		for (int y = 1; y <= NY; y++)
			for (int x = 1; x < NX - 1; x++)
				eta[y][x] -= 0.01 * (u[y][x + 1] - u[y][x - 1] +
						     v[y + 1][x] - v[y - 1][x]);
	}
}

static void advect_tracer(void)
{
	for (int y = 1; y <= NY; y++)
		for (int x = 1; x < NX - 1; x++) {
			double f = u[y][x], g = v[y][x];
			double e = f > 0 ? temp[y][x - 1] : temp[y][x + 1];
			double n = g > 0 ? temp[y - 1][x] : temp[y + 1][x];

			tnew[y][x] = temp[y][x] +
				     0.1 * fabs(f) * (e - temp[y][x]) +
				     0.1 * fabs(g) * (n - temp[y][x]);
		}
	memcpy(temp, tnew, sizeof temp);
}

static double courant(void)
{
	double most = 0, all;

	for (int y = 1; y <= NY; y++)
		for (int x = 0; x < NX; x++)
			most = fmax(most, hypot(u[y][x], v[y][x]));
	MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, cfl = 0, began;
	int steps = 130 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !strcmp(argv[2], "fixed");
	for (int y = 0; y < NY + 2; y++)
		for (int x = 0; x < NX; x++) {
			eta[y][x] = 0.1 * sin(0.05 * x + 0.1 * y + rank);
			temp[y][x] = tnew[y][x] = 15 + 5 * cos(0.01 * x);
		}
	if (rank == size / 2)
		history_open(&mooring);
	began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		swap_rows(eta);
		swap_rows(temp);
		barotropic();
		advect_tracer();
		if (rank == size / 2)
			sample_mooring(step);
		cfl = courant();
	}
	if (rank == size / 2) {
		history_commit(&mooring);
		close(mooring.fd);
		unlink(mooring.path);
	}
	if (rank == 0)
		printf("courant %.6f, %.2f s\n", cfl, MPI_Wtime() - began);
	MPI_Finalize();
	return 0;
}
