/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-paths.c - one MPI call below paths that differ in one return address
 * alone, in each in turn: of two functions with the same code, all frames are
 * one's but that one.  Each path makes CALLS calls, one at a time.
 */
#include <mpi.h>

#include "known.h"

enum {
	LEVELS = 40,
	CALLS = 20,
};

static void left(int levels, int where);
static void right(int levels, int where);

/* The next one is right() below the level `where`. */
#define LEVEL(name)                                                            \
	static KEPT void name(int levels, int where)                           \
	{                                                                      \
		int rank;                                                      \
                                                                               \
		if (levels)                                                    \
			(levels == where ? right : left)(levels - 1, where);   \
		else                                                           \
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);                  \
		__asm__ volatile("");                                          \
	}

LEVEL(left)
LEVEL(right)

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (int i = 0; i < CALLS; i++)
		for (int where = 0; where <= LEVELS; where++)
			left(LEVELS, where);
	printf("paths %d of %d calls\n", LEVELS + 1, CALLS);
	MPI_Finalize();
	return 0;
}
