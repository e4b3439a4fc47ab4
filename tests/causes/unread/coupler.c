/* SPDX-License-Identifier: BSD-3-Clause */
/* An atmosphere on all ranks but the last, an ocean on the last one. The
 * ocean's fluxes come by file, as both were once programs of their own. */
#include <fcntl.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define POINTS  4096
#define COLUMNS 60000

static double flux[POINTS], column[COLUMNS];
static char place[256];
static int rank, size, mended;
static MPI_Comm air;

static void physics(void)
{
	for (int sub = 0; sub < 40; sub++)
		for (int i = 0; i < COLUMNS; i++) {
			double q = column[i];

			column[i] = q + 0.01 * (flux[i % POINTS] - q) /
						(1 + sqrt(q * q + 0.1));
		}
}

static void surface_state(double *state)
{
	for (int i = 0; i < POINTS; i++)
		state[i] = column[i];
}

static void ocean_mixing(const double *state)
{
	for (int sub = 0; sub < 400; sub++)
		for (int i = 0; i < POINTS; i++)
			flux[i] += 0.001 * (state[i] - flux[i]) /
				   sqrt(1 + flux[i] * flux[i]);
}

static void name_of(char *name, size_t length, int step)
{
	snprintf(name, length, "%s/flux.%06d", place, step);
}

static void export_flux(int step)
{
	char part[300], name[300];
	int fd;

	snprintf(part, sizeof part, "%s/part", place);
	name_of(name, sizeof name, step);
	fd = open(part, O_CREAT | O_TRUNC | O_WRONLY, 0600);
	if (fd < 0 || write(fd, flux, sizeof flux) != sizeof flux)
		MPI_Abort(MPI_COMM_WORLD, 1);
	close(fd);
	rename(part, name);
}

static void import_flux(int step)
{
	struct timespec pause = { 0, 25000000 };
	char name[300];
	struct stat st;
	int fd;

	name_of(name, sizeof name, step);
	while (stat(name, &st) != 0)
		nanosleep(&pause, NULL);
	fd = open(name, O_RDONLY);
	if (fd < 0 || read(fd, flux, sizeof flux) != sizeof flux)
		MPI_Abort(MPI_COMM_WORLD, 1);
	close(fd);
	unlink(name);
}

static void atmosphere(int step)
{
	static double state[POINTS];

	physics();
	if (rank == 0) {
		surface_state(state);
		MPI_Send(state, POINTS, MPI_DOUBLE, size - 1, 1,
			 MPI_COMM_WORLD);
		if (mended)
			MPI_Recv(flux, POINTS, MPI_DOUBLE, size - 1, 2,
				 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		else
			import_flux(step);
	}
	MPI_Bcast(flux, POINTS, MPI_DOUBLE, 0, air);
}

static void ocean(int step)
{
	static double state[POINTS];

	MPI_Recv(state, POINTS, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	ocean_mixing(state);
	if (mended)
		MPI_Send(flux, POINTS, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
	else
		export_flux(step);
}

static void agree_on_place(void)
{
	const char *dir = getenv("TMPDIR");

	snprintf(place, sizeof place, "%s/coupler.XXXXXX", dir ? dir : "/tmp");
	if (rank == 0 && !mkdtemp(place))
		MPI_Abort(MPI_COMM_WORLD, 1);
	MPI_Bcast(place, sizeof place, MPI_CHAR, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	double factor = argc > 1 ? atof(argv[1]) : 1, began;
	int steps = 100 * factor;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mended = argc > 2 && !strcmp(argv[2], "fixed");
	MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &air);
	agree_on_place();
	for (int i = 0; i < COLUMNS; i++)
		column[i] = 1 + 0.001 * (i % 97) + 0.01 * rank;
	MPI_Barrier(MPI_COMM_WORLD);
	began = MPI_Wtime();
	for (int step = 0; step < steps; step++) {
		if (rank == size - 1)
			ocean(step);
		else
			atmosphere(step);
	}
	if (rank == 0) {
		printf("flux %.6f, %.2f s\n", flux[7], MPI_Wtime() - began);
		rmdir(place);
	}
	MPI_Finalize();
	return 0;
}
