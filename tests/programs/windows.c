/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows.c [ROUNDS] - who is late for which window is known: in each round, 5
 * when not given, all ranks make a window, and halves of them one each, pass
 * fences in both, those of the second half more, and free them.  Handles are
 * used again, by windows that are others.  Ranks 0 and 1 put something where 2
 * and 3 let them.  Each time one rank comes 20 ms late:
 *
 *   all_together    rank 1 is late for MPI_Win_fence
 *   each_half       rank 0 in the first half, the last one in the second
 *   make            rank 2 is late for MPI_Win_allocate
 *   end             rank 0 is late for MPI_Win_free
 *   late_post       rank 3 is late for MPI_Win_post
 *   late_complete   rank 0 is late for MPI_Win_complete
 *
 * With four ranks.
 */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#include "known.h"

#define BYTES 1024

/* The call before it is no jump: the function stays on the stack. */
#define STAY __asm__ volatile("")

static int rank, size;
static double *base;

static void late(int who)
{
	struct timespec t = { .tv_nsec = 20000000 };

	if (rank == who)
		nanosleep(&t, NULL);
}

static KEPT MPI_Win make(MPI_Comm comm)
{
	MPI_Win win;

	MPI_Barrier(MPI_COMM_WORLD);
	late(2);
	MPI_Win_allocate(BYTES, 8, MPI_INFO_NULL, comm, &base, &win);
	return win;
}

static KEPT void all_together(MPI_Win win)
{
	double one = 1;

	MPI_Put(&one, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
	MPI_Barrier(MPI_COMM_WORLD);
	late(1);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	STAY;
}

/* Those on the other side. */
static MPI_Group others(void)
{
	const int sides[2][2] = { { 2, 3 }, { 0, 1 } };
	MPI_Group all, group;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 2, sides[rank >= 2], &group);
	MPI_Group_free(&all);
	return group;
}

static void put(MPI_Win win)
{
	static const double one = 1;

	for (int i = 2; i < 4; i++)
		MPI_Put(&one, 1, MPI_DOUBLE, i, rank, 1, MPI_DOUBLE, win);
}

static KEPT void late_post(MPI_Win win)
{
	MPI_Group group = others();

	MPI_Barrier(MPI_COMM_WORLD);
	late(3);
	if (rank < 2) {
		MPI_Win_start(group, 0, win);
		put(win);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&group);
}

static KEPT void late_complete(MPI_Win win)
{
	MPI_Group group = others();

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank < 2) {
		MPI_Win_start(group, 0, win);
		put(win);
		late(0);
		MPI_Win_complete(win);
	} else {
		MPI_Win_post(group, 0, win);
		MPI_Win_wait(win);
	}
	MPI_Group_free(&group);
}

static KEPT void each_half(MPI_Win win, int is_second)
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i <= is_second; i++) {
		late(is_second ? size - 1 : 0);
		MPI_Win_fence(0, win);
	}
	STAY;
}

static KEPT void end(MPI_Win win)
{
	MPI_Barrier(MPI_COMM_WORLD);
	late(0);
	MPI_Win_free(&win);
	STAY;
}

static void one_round(MPI_Comm half, int is_second)
{
	MPI_Win all = make(MPI_COMM_WORLD), mine;

	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, half, &mine);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, all);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, mine);
	all_together(all);
	late_post(all);
	late_complete(all);
	each_half(mine, is_second);
	end(all);
	MPI_Win_free(&mine);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 5, is_second;
	MPI_Comm half;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	is_second = rank >= size / 2;
	MPI_Comm_split(MPI_COMM_WORLD, is_second, rank, &half);
	for (int i = 0; i < rounds; i++)
		one_round(half, is_second);
	MPI_Comm_free(&half);
	MPI_Finalize();
	return 0;
}
