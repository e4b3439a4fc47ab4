/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * neighbours.c [ROUNDS] - who waits for which neighbour is known: in each
 * round, 5 when not given, four ranks exchange on three topologies, and each
 * time one comes 20 ms late:
 *
 *   on_torus   2 x 2, closed: each neighbour is one twice; rank 1 is late,
 * ranks 0 and 3 wait from_star  rank 0 sends to all, itself too, but nothing to
 * rank 3; it is late, ranks 1 and 2 wait in_pairs   0 and 1, 2 and 3; rank 2 is
 * late, rank 3 waits
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "known.h"

#define RANKS 4

/* The call before it is no jump: the function stays on the stack. */
#define STAY __asm__ volatile("")

static int rank;
static int out[RANKS], in[RANKS];
static const int counts[] = { 1, 1, 1, 0 }; /* by rank that gets it */

static void late(int who)
{
	struct timespec t = { .tv_nsec = 20000000 };

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == who)
		nanosleep(&t, NULL);
}

static MPI_Comm torus(void)
{
	const int dims[] = { 2, 2 }, closed[] = { 1, 1 };
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, closed, 0, &comm);
	return comm;
}

static MPI_Comm star(void)
{
	const int centre = 0, all[] = { 0, 1, 2, 3 };
	const int weights[] = { 1, 1, 1, 1 };
	MPI_Comm comm;

	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &centre, weights,
				       rank ? 0 : RANKS, all, weights,
				       MPI_INFO_NULL, 0, &comm);
	return comm;
}

static MPI_Comm pairs(void)
{
	const int ends[] = { 1, 2, 3, 4 }, edges[] = { 1, 0, 3, 2 };
	MPI_Comm comm;

	MPI_Graph_create(MPI_COMM_WORLD, RANKS, ends, edges, 0, &comm);
	return comm;
}

static KEPT void on_torus(MPI_Comm comm)
{
	late(1);
	MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
	STAY;
}

static KEPT void from_star(MPI_Comm comm)
{
	const int at[] = { 0, 1, 2, 3 };

	late(0);
	MPI_Neighbor_alltoallv(out, counts, at, MPI_INT, in, &counts[rank], at,
			       MPI_INT, comm);
	STAY;
}

static KEPT void in_pairs(MPI_Comm comm)
{
	const MPI_Datatype type = MPI_INT;
	const MPI_Aint at = 0;

	late(2);
	MPI_Neighbor_alltoallw(out, counts, &at, &type, in, counts, &at, &type,
			       comm);
	STAY;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5, size;
	MPI_Comm comms[3];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != RANKS)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (int i = 0; i < rounds; i++) {
		comms[0] = torus();
		comms[1] = star();
		comms[2] = pairs();
		on_torus(comms[0]);
		from_star(comms[1]);
		in_pairs(comms[2]);
		for (int c = 0; c < 3; c++)
			MPI_Comm_free(&comms[c]);
	}
	MPI_Finalize();
	return 0;
}
