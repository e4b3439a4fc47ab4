/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Docking of molecules: rank 0 gives out bundles of them and docks some itself
 * between two requests.
 */
#include "options.h"
#include <math.h>

#define BUNDLE 8
#define ATOMS  30

struct site {
	double x[ATOMS], y[ATOMS], z[ATOMS];
	double best;
	int docked;
};

static void site_make(struct site *s)
{
	for (int i = 0; i < ATOMS; i++) {
		s->x[i] = sin(1.1 * i);
		s->y[i] = cos(1.7 * i);
		s->z[i] = sin(2.3 * i + 1.0);
	}
}

static double pose_score(const struct site *s, int molecule, int pose)
{
	double score = 0.0, turn = 0.1 * pose;

	for (int i = 0; i < ATOMS; i++)
		for (int j = 0; j < ATOMS / 3; j++) {
			double dx = s->x[i] - 0.1 * j * cos(turn);
			double dy = s->y[i] - 0.1 * j * sin(turn);
			double dz = s->z[i] - 0.01 * (molecule % 50);
			double r2 = dx * dx + dy * dy + dz * dz + 0.1;

			score += 1.0 / (r2 * r2 * r2) - 2.0 / (r2 * r2);
		}
	return score;
}

static void molecule_dock(struct site *s, int molecule)
{
	for (int pose = 0; pose < 20; pose++)
		s->best += 1e-6 * pose_score(s, molecule, pose);
	s->docked++;
}

static void bundle_dock(struct site *s, int bundle)
{
	for (int m = 0; m < BUNDLE; m++)
		molecule_dock(s, bundle * BUNDLE + m);
}

/* Returns how many of the others were told to stop. */
static int requests_answer(int *next, int bundles)
{
	MPI_Status status;
	int asked, bundle, stopped = 0;

	for (;;) {
		MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &asked, &status);
		if (!asked)
			return stopped;
		MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, 1,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		bundle = *next < bundles ? (*next)++ : -1;
		stopped += bundle < 0;
		MPI_Send(&bundle, 1, MPI_INT, status.MPI_SOURCE, 2,
			 MPI_COMM_WORLD);
	}
}

static void bundles_give(struct site *s, int bundles, int others)
{
	int next = 0, stopped = 0;

	while (next < bundles) {
		int own = next++;

		for (int m = 0; m < BUNDLE; m++) {
			stopped += requests_answer(&next, bundles);
			molecule_dock(s, own * BUNDLE + m);
		}
	}
	stopped += requests_answer(&next, bundles);
	for (; stopped < others; stopped++) {
		MPI_Status status;
		int none = -1;

		MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
			 &status);
		MPI_Send(&none, 1, MPI_INT, status.MPI_SOURCE, 2,
			 MPI_COMM_WORLD);
	}
}

/* Asks for the next bundle before it docks this one. */
static void bundles_take(struct site *s)
{
	int bundle, ahead;

	MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
	MPI_Recv(&bundle, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	while (bundle >= 0) {
		MPI_Send(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
		bundle_dock(s, bundle);
		MPI_Recv(&ahead, 1, MPI_INT, 0, 2, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		bundle = ahead;
	}
}

int main(int argc, char **argv)
{
	static struct site s;
	struct options o;

	MPI_Init(&argc, &argv);
	o = options_read(argc, argv);
	site_make(&s);
	if (o.rank == 0)
		bundles_give(&s, options_times(&o, 36000), o.ranks - 1);
	else
		bundles_take(&s);
	options_report(&o, s.best + s.docked);
	MPI_Finalize();
	return 0;
}
