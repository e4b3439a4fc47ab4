/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-forks-threads.c [CHILDREN] - a process forks children, 300 when not
 * given, while two of its threads name communicators all the time.  These are
 * many, so that each call is the first one on its communicator for a profiler
 * that remembers some of them only; MPI has one of them locked at most.  Each
 * child names one and frees a window that is none, by itself.
 *
 * Prints how many of the children hung or failed: none.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	MANY = 500,
	THREADS = 2,
	PATIENCE = 10 /* seconds */
};

static MPI_Comm comms[MANY], own;
static volatile bool over;

static void *name(void *unused)
{
	(void)unused;
	for (int i = 0; !over; i++)
		MPI_Comm_set_name(comms[i % MANY], "one");
	return NULL;
}

static int in_child(void)
{
	MPI_Win none = MPI_WIN_NULL;
	int flag = 0, version, subversion;

	alarm(PATIENCE);
	MPI_Initialized(&flag);
	MPI_Get_version(&version, &subversion);
	MPI_Comm_set_name(own, "child's");
	MPI_Win_free(&none);
	return flag ? 0 : 1;
}

static bool ends_well(void)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(in_child());
	return waitpid(child, &status, 0) == child && !status;
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 300, bad = 0, provided;
	pthread_t threads[THREADS];

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	if (provided < MPI_THREAD_MULTIPLE) {
		printf("not possible here\n");
		MPI_Finalize();
		return 0;
	}
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < MANY; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
	MPI_Comm_dup(MPI_COMM_SELF, &own);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, name, NULL);
	for (int i = 0; i < children && bad < 3; i++)
		bad += !ends_well();
	over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("hung or failed: %d\n", bad);
	MPI_Finalize();
	return 0;
}
