/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows-threads.c [ROUNDS] - MPI_THREAD_MULTIPLE: 4 threads of each rank use
 * windows at the same time, 5 rounds each when none is given.  Each thread has
 * a communicator of its own, on which it makes and frees a window in each
 * round, so that handles are used again by other threads, and passes two fences
 * and one epoch in it.  In one window of the whole process all threads put, get
 * and add to the next rank's memory.
 *
 * So each rank makes, for each thread and round, what print_all_truths() says,
 * and frees the one.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

#include "mpi-truth.h"

enum {
	THREADS = 4,
	PUTS = 3,
	BYTES = 1024
};

static int rank, size, rounds = 5;
static MPI_Group next_one, one_before;
static MPI_Win shared;

static struct thread {
	MPI_Comm comm;
	pthread_t id;
	int number;
} threads[THREADS];

static void pass_fences(MPI_Win win, const double *value)
{
	MPI_Win_fence(0, win);
	for (int i = 0; i < PUTS; i++)
		MPI_Put(value, 1, MPI_DOUBLE, (rank + 1) % size, i, 1,
			MPI_DOUBLE, win);
	MPI_Win_fence(0, win);
}

static void pass_epoch(MPI_Win win, const double *value)
{
	MPI_Win_post(one_before, 0, win);
	MPI_Win_start(next_one, 0, win);
	MPI_Put(value, 1, MPI_DOUBLE, (rank + 1) % size, 0, 1, MPI_DOUBLE, win);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
}

static void use_shared(const struct thread *me)
{
	int one = 1, got, next = (rank + 1) % size;
	MPI_Aint own = 1 + me->number;

	MPI_Put(&one, 1, MPI_INT, next, own, 1, MPI_INT, shared);
	MPI_Accumulate(&one, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, shared);
	MPI_Fetch_and_op(&one, &got, MPI_INT, next, 0, MPI_SUM, shared);
	MPI_Win_flush(next, shared);
}

static void *run(void *of)
{
	const struct thread *me = of;
	double value = rank, *base;
	MPI_Win win;

	for (int i = 0; i < rounds; i++) {
		MPI_Win_allocate(BYTES, 8, MPI_INFO_NULL, me->comm, &base,
				 &win);
		pass_fences(win, &value);
		pass_epoch(win, &value);
		MPI_Win_free(&win);
		use_shared(me);
	}
	return NULL;
}

static MPI_Group group_of(int member)
{
	MPI_Group all, one;

	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &member, &one);
	MPI_Group_free(&all);
	return one;
}

/* So many in each thread and round, so many by main(); bytes of each. */
static void truth(const char *name, int each, int more, size_t sent,
		  size_t received)
{
	int calls = THREADS * rounds * each + more;

	printf("truth %d %s %d %zu %zu\n", rank, name, calls,
	       (size_t)calls * sent, (size_t)calls * received);
}

static void print_all_truths(void)
{
	truth("MPI_Win_allocate", 1, 0, 0, 0);
	truth("MPI_Win_free", 1, 1, 0, 0);
	truth("MPI_Win_fence", 2, 0, 0, 0);
	truth("MPI_Win_post", 1, 0, 0, 0);
	truth("MPI_Win_start", 1, 0, 0, 0);
	truth("MPI_Win_complete", 1, 0, 0, 0);
	truth("MPI_Win_wait", 1, 0, 0, 0);
	truth("MPI_Win_flush", 1, 0, 0, 0);
	truth("MPI_Put", PUTS + 1, 0, DOUBLES(1), 0);
	truth("MPI_Put", 1, 0, INTS(1), 0);
	truth("MPI_Accumulate", 1, 0, INTS(1), 0);
	truth("MPI_Fetch_and_op", 1, 0, INTS(1), INTS(1));
	truth("MPI_Comm_dup", 0, THREADS, 0, 0);
	truth("MPI_Comm_group", 0, 2, 0, 0);
	truth("MPI_Group_incl", 0, 2, 0, 0);
	truth("MPI_Group_free", 0, 2, 0, 0);
	truth("MPI_Comm_rank", 0, 1, 0, 0);
	truth("MPI_Comm_size", 0, 1, 0, 0);
	truth("MPI_Init_thread", 0, 1, 0, 0);
	truth("MPI_Win_create", 0, 1, 0, 0);
	truth("MPI_Win_lock_all", 0, 1, 0, 0);
	truth("MPI_Win_unlock_all", 0, 1, 0, 0);
	truth("MPI_Finalize", 0, 1, 0, 0);
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
	next_one = group_of((rank + 1) % size);
	one_before = group_of((rank + size - 1) % size);
	MPI_Win_create(calloc(BYTES, 1), BYTES, sizeof(int), MPI_INFO_NULL,
		       MPI_COMM_WORLD, &shared);
	MPI_Win_lock_all(0, shared);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
	for (int i = 0; i < THREADS; i++) {
		threads[i].number = i;
		pthread_create(&threads[i].id, NULL, run, &threads[i]);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	MPI_Win_unlock_all(shared);
	MPI_Win_free(&shared);
	MPI_Finalize();
	print_all_truths();
	return 0;
}
