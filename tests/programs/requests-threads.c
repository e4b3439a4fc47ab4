/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * requests-threads.c [ROUNDS] - MPI_THREAD_MULTIPLE: 4 threads of each rank
 * pass messages of one number around the ring of ranks, each on a communicator
 * of its own, 1000 rounds when not given.  Requests that one thread has
 * completed MPI gives to another at once.
 *
 * So each rank sends, and receives, 4 * ROUNDS messages of 8 bytes.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "mpi-truth.h"

enum {
	THREADS = 4
};

static int rank, size, rounds = 1000;

static struct thread {
	MPI_Comm comm;
	pthread_t id;
} threads[THREADS];

static void *run(void *of)
{
	const struct thread *me = of;
	double out = rank, in;
	MPI_Request both[2];
	MPI_Status statuses[2];

	for (int i = 0; i < rounds; i++) {
		MPI_Irecv(&in, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
			  me->comm, &both[0]);
		MPI_Isend(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, me->comm,
			  &both[1]);
		MPI_Waitall(2, both, statuses);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int provided;

	if (argc > 1)
		rounds = atoi(argv[1]);
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	MPI_Finalize();
	printf("messages %d %d %d %d\n", rank, (rank + 1) % size,
	       THREADS * rounds, THREADS * rounds * 8);
	return 0;
}
