/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-overlap.c CALLS - a request is open while MPI_Test asks for another one
 * so often, with work between that is long now and then.  Below it a library
 * whose MPI_Test is long now and then, and that tells how much CPU time it took
 * in all (seconds_in_test), may stand before MPI: see polls.sh.
 *
 * Prints `overlap OPEN USED OUTSIDE`: how long the request was open, the CPU
 * time that was used meanwhile, and that outside of MPI_Test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "known.h"

static void pass(double seconds)
{
	double begun = elapsed_seconds();

	while (elapsed_seconds() - begun < seconds)
		;
}

static KEPT void overlap(long calls, const double *in_test)
{
	double in, out = 1, begun = elapsed_seconds(), inside = *in_test, open;
	double used = cpu_seconds();
	MPI_Request never, r;
	int flag;

	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &never);
	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r);
	for (long i = 0; i < calls; i++) {
		MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
		pass(known_random() < 0.05 ? 100e-6 : 3e-6);
	}
	MPI_Send(&out, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	open = elapsed_seconds() - begun;
	used = cpu_seconds() - used;
	printf("overlap %.6f %.6f %.6f\n", open, used,
	       used - (*in_test - inside));
	MPI_Cancel(&never);
	MPI_Wait(&never, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	static const double none;
	const double *in_test = dlsym(RTLD_DEFAULT, "seconds_in_test");

	MPI_Init(&argc, &argv);
	overlap(argc > 1 ? atol(argv[1]) : 40000, in_test ? in_test : &none);
	MPI_Finalize();
	return 0;
}
