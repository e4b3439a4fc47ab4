/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options.h - what the programs of tests/causes share: arguments and the line
 * of result.  PROGRAM [--mended] [SCALE]
 */
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
	int mended;
	double scale;
	double start;
	int rank, ranks;
};

static inline struct options options_read(int argc, char **argv)
{
	struct options o = { 0, 1.0, 0.0, 0, 1 };

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--mended"))
			o.mended = 1;
		else
			o.scale = atof(argv[i]);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &o.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &o.ranks);
	o.start = MPI_Wtime();
	return o;
}

/* At least one, however small the scale. */
static inline int options_times(const struct options *o, double count)
{
	int times = (int)(count * o->scale);

	return times > 1 ? times : 1;
}

/* The sums of all ranks: result and CPU time; and the seconds that it took. */
static inline void options_report(const struct options *o, double result)
{
	double own[2] = { result, (double)clock() / CLOCKS_PER_SEC };
	double sum[2] = { 0.0, 0.0 };

	MPI_Reduce(own, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (o->rank == 0)
		printf("result %.8g elapsed %.3f s cpu %.3f s\n", sum[0],
		       MPI_Wtime() - o->start, sum[1]);
}
