/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-polls.c ROUNDS - polls from several places, most of which find nothing.
 * Two of them are the same call in the same function at the same depth of the
 * stack, reached by two ways, without another MPI call between.
 *
 * Prints `polls FUNCTION WAY CALLS`, the calls of a function on the paths that
 * lead through another one; `requests CALLS`, that were completed by polls;
 * `paused CALLS`, which are in none of these; and `probes SECONDS`, which were
 * spent on nothing but the calls of MPI_Iprobe.
 */
#include <mpi.h>

#include "known.h"

static MPI_Request never;
static long found;

static KEPT void poll_once(void)
{
	int flag;

	MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
	__asm__ volatile("");
}

static KEPT void one_way(void)
{
	for (volatile int i = 0; i < 3; i++)
		poll_once(); /* from one place */
	__asm__ volatile("");
}

static KEPT void other_way(void)
{
	poll_once();
	__asm__ volatile("");
}

/* What it polls for has come, mostly at once. */
static KEPT void messages(void)
{
	double out = 1, in;
	MPI_Request r[2];
	int flag = 0;

	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r[0]);
	MPI_Isend(&out, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r[1]);
	for (; !flag; found++)
		MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
}

static KEPT double probes(long rounds)
{
	double begun = MPI_Wtime();
	int flag;

	for (long i = 0; i < rounds; i++)
		MPI_Iprobe(0, 3, i % 100 ? MPI_COMM_SELF : MPI_COMM_WORLD,
			   &flag, MPI_STATUS_IGNORE);
	return MPI_Wtime() - begun;
}

static KEPT void in_pause(long rounds)
{
	MPI_Pcontrol(0);
	for (long i = 0; i < rounds; i++)
		poll_once();
	MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	double last = 0, out = 1, seconds;

	MPI_Init(&argc, &argv);
	MPI_Irecv(&last, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &never);
	for (long i = 0; i < rounds; i++) {
		one_way();
		other_way();
		if (i % 100 == 0)
			messages();
	}
	seconds = probes(20 * rounds);
	in_pause(rounds);
	printf("polls MPI_Test one_way %ld\n", 3 * rounds);
	printf("polls MPI_Test other_way %ld\n", rounds);
	printf("polls MPI_Testall messages %ld\n", found);
	printf("polls MPI_Iprobe probes %ld\n", 20 * rounds);
	printf("probes %.6f\n", seconds);
	printf("requests %ld\npaused %ld\n", 2 * ((rounds + 99) / 100), rounds);
	MPI_Send(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
	MPI_Wait(&never, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
