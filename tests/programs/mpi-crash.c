/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-crash.c HOW [RANK [SECONDS]] - all ranks work SECONDS (0.5) of CPU time
 * in before_the_end(), then, when all have, RANK (0) ends, and the others wait
 * for it in MPI_Barrier, for ever.  HOW:
 *
 *   abort   MPI_Abort(MPI_COMM_WORLD, 7)
 *   segv    a store through a null pointer
 *   kill9   SIGKILL
 *   _exit   _exit(3)
 *   exit    exit(3), without MPI_Finalize
 *   error   an MPI error (a message to a rank that is not there), fatal
 *   finish  not at all: everything ends well
 *   apart   the same, and nobody waits: no rank sends another anything
 *   sleep   not at all, and the others wait
 */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

static KEPT void before_the_end(double seconds)
{
	double end = cpu_seconds() + seconds;

	while (cpu_seconds() < end)
		known_work();
}

static void end(const char *how)
{
	volatile int *volatile nowhere = NULL;

	if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	else if (!strcmp(how, "segv"))
		*nowhere = 1;
	else if (!strcmp(how, "kill9"))
		kill(getpid(), SIGKILL);
	else if (!strcmp(how, "_exit"))
		_exit(3);
	else if (!strcmp(how, "exit"))
		exit(3);
	else if (!strcmp(how, "sleep"))
		pause();
	else if (!strcmp(how, "error"))
		MPI_Send(how, 1, MPI_CHAR, 1 << 20, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int victim = argc > 2 ? atoi(argv[2]) : 0, rank, done = 1, all;
	double seconds = argc > 3 ? atof(argv[3]) : 0.5;

	if (argc < 2) {
		fprintf(stderr, "usage: mpi-crash HOW [RANK [SECONDS]]\n");
		return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	before_the_end(seconds);
	if (strcmp(argv[1], "apart") != 0)
		MPI_Allreduce(&done, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == victim)
		end(argv[1]);
	if (strcmp(argv[1], "apart") != 0)
		MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
