/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmp.c K - ten rounds of two threads, one of which does K times the work of
 * the other, each after a stretch that the first thread does alone.  What is
 * not one of the truths, the threads waited.  With MPI where it is built so.
 */
#include <omp.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "known.h"

#define ROUNDS 10
#define SHARE  0.04 /* seconds of the thread that has less to do */
#define ALONE  0.02

static KEPT double serial(double s)
{
	return work_for(s);
}

static KEPT double team(double s)
{
	return work_for(s);
}

static void rounds(double more)
{
	double alone = 0, together = 0, begun = elapsed_seconds();
	double inside = 0, parts = 0; /* elapsed: in regions, in their code */

	for (int round = 0; round < ROUNDS; round++) {
		double at;

		alone += serial(ALONE);
		at = elapsed_seconds();
#pragma omp parallel num_threads(2) reduction(+ : together, parts)
		{
			double start = elapsed_seconds();

			together += team(omp_get_thread_num() ? SHARE
							      : more * SHARE);
			parts += elapsed_seconds() - start;
		}
		inside += elapsed_seconds() - at;
	}
	printf("truth outside %.6f\ntruth inside %.6f\ntruth parts %.6f\n",
	       elapsed_seconds() - begun, inside, parts);
	printf("truth serial %.6f\ntruth team %.6f\n", alone, together);
}

int main(int argc, char **argv)
{
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
#endif
	rounds(argc > 1 ? atof(argv[1]) : 1);
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	usage();
	return 0;
}
