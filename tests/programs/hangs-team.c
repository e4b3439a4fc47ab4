/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hangs-team.c KIND - a job whose last rank hangs in a parallel region of two
 * threads, of which one sleeps for ever.  The first thread waits for it
 *
 *   end      at the end of the region
 *   barrier  at a barrier
 *   task     at a taskwait, for the other's task
 *   between  at a barrier, after a task that it ran there
 */
#include <mpi.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

static KEPT void sleeper(void)
{
	for (;;)
		pause();
}

static KEPT void end(void)
{
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num())
		sleeper();
}

static KEPT void barrier(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num())
			sleeper();
#pragma omp barrier
		known_sink = 1;
	}
}

static KEPT void task(void)
{
	volatile int taken = 0;

#pragma omp parallel num_threads(2)
#pragma omp master
	{
#pragma omp task shared(taken)
		{
			taken = 1;
			sleeper();
		}
		while (!taken)
			usleep(1000);
#pragma omp taskwait
	}
}

static KEPT void between(void)
{
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num()) {
			usleep(100000);
#pragma omp task
			work_for(0.1);
			sleeper();
		}
#pragma omp barrier
		known_sink = 1;
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = { { "end", end },
	      { "barrier", barrier },
	      { "task", task },
	      { "between", between } };

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	work_for(0.1);
	MPI_Barrier(MPI_COMM_WORLD);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && rank == size - 1 &&
		    !strcmp(argv[1], kinds[i].name))
			kinds[i].run();
	MPI_Barrier(MPI_COMM_WORLD);
	return MPI_Finalize();
}
