/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-threads.c [THREADS] - MPI_THREAD_MULTIPLE: each of 4 threads (or as many
 * as are asked for) has a communicator of its own, on which it passes 8 bytes
 * around the ring of ranks with MPI_Sendrecv 1000 times, and sums them with
 * MPI_Allreduce every 100 times.
 *
 * So each rank makes THREADS * 1000 calls of MPI_Sendrecv with 8000 * THREADS
 * bytes each way, and THREADS * 10 of MPI_Allreduce with 80 * THREADS.
 */
#include <mpi.h>
#include <pthread.h>

#include "known.h"

#define ROUNDS      1000
#define THREADS_MAX 64

static struct thread {
	MPI_Comm comm;
	pthread_t id;
	double sum;
} threads[THREADS_MAX];

static void *run(void *of)
{
	struct thread *me = of;
	int rank, size;
	double out, in = 0, all;

	MPI_Comm_rank(me->comm, &rank);
	MPI_Comm_size(me->comm, &size);
	for (int i = 0; i < ROUNDS; i++) {
		out = rank + i;
		MPI_Sendrecv(&out, 1, MPI_DOUBLE, (rank + 1) % size, 0, &in, 1,
			     MPI_DOUBLE, (rank + size - 1) % size, 0, me->comm,
			     MPI_STATUS_IGNORE);
		if (i % (ROUNDS / 10) == 0) {
			MPI_Allreduce(&in, &all, 1, MPI_DOUBLE, MPI_SUM,
				      me->comm);
			me->sum += all;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 4, provided, rank;
	double checksum = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE || count > THREADS_MAX) {
		fprintf(stderr, "mpi-threads: not possible here\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < count; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i].id, NULL);
		MPI_Comm_free(&threads[i].comm);
		checksum += threads[i].sum;
	}
	MPI_Finalize();
	printf("truth %d MPI_Sendrecv %d %d %d\n", rank, count * ROUNDS,
	       count * ROUNDS * 8, count * ROUNDS * 8);
	printf("truth %d MPI_Allreduce %d %d %d\n", rank, count * 10,
	       count * 80, count * 80);
	printf("checksum %d %.0f\n", rank, checksum);
	return 0;
}
