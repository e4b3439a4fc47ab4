/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hangs.c KIND [RANK [STEPS]] - a job that hangs, or seems to: after STEPS
 * iterations (10) rank RANK (the last) does what KIND says, for ever.
 *
 *   skip     it leaves out one reduction, and is in MPI_Finalize at the end
 *   other    it calls another collective than the others
 *   leave    it ends, without MPI_Finalize (under a launcher that goes on)
 *   sends    each rank sends a large message to the next before it receives
 *   lost     it waits for a message with a tag that nobody sends
 *   polls    it never comes to a barrier that the others poll for
 *   loop     it computes without an end
 *   sleep    it sleeps, in a function of its own
 *   lock     it waits for a mutex that it holds
 *   window   it never lets go of a lock of its window that others want
 *   init     rank 3 computes, and sleeps before MPI_Init
 *   finish   it sleeps before MPI_Finalize, in which the others are
 *   nan      its residual is no number: it leaves a loop that others go on in
 *   spawn    it does not take part in MPI_Comm_spawn
 *   write    it does not take part in a collective write to a file
 *   claim    it waits for a lock of a file that it holds by another descriptor
 *   await    it looks for a file that nobody makes
 *   child    it waits for a child, which wants a mutex held when it was made
 *   roots    rank 0 names another root than the others, in the first call
 *   begun    it begins the barrier without blocking, the others do not
 *   order    two of its threads want each other's mutex
 *   slow     nothing: ranks compute for longer than usual, then go on
 *   crash    it computes, and writes where it may not
 *   alone    nothing: it computes for 5 s, then goes on
 */
#include <mpi.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

#define LARGE (1 << 20) /* doubles */

static int rank, size, culprit;
static double out[LARGE], in[LARGE];

static KEPT void reduce(void)
{
	double sum, one = rank;

	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	known_sink = sum;
}

static KEPT void checkpoint(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	known_sink = 1;
}

static KEPT void endless(void)
{
	for (;;)
		known_work();
}

static KEPT void sleeper(void)
{
	for (;;)
		pause();
}

static KEPT void skip(void)
{
	if (rank != culprit)
		reduce();
}

static KEPT void other(void)
{
	if (rank == culprit)
		checkpoint();
	else
		reduce();
}

static KEPT void leave(void)
{
	if (rank == culprit)
		_exit(0);
	reduce();
}

static KEPT void sends(void)
{
	MPI_Send(out, LARGE, MPI_DOUBLE, (rank + 1) % size, 1, MPI_COMM_WORLD);
	MPI_Recv(in, LARGE, MPI_DOUBLE, (rank + size - 1) % size, 1,
		 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static KEPT void lost(void)
{
	if (rank == culprit)
		MPI_Recv(in, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	checkpoint();
}

static KEPT void poll_barrier(void)
{
	MPI_Request request;
	int done = 0;

	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	while (!done)
		MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static KEPT void begun(void)
{
	MPI_Request request;

	if (rank != culprit) {
		checkpoint();
		return;
	}
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static KEPT void polls(void)
{
	if (rank == culprit)
		sleeper();
	poll_barrier();
}

static KEPT void loop(void)
{
	if (rank == culprit)
		endless();
	reduce();
}

static KEPT void sleep_on(void)
{
	if (rank == culprit)
		sleeper();
	reduce();
}

static KEPT void lock_twice(void)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&mutex);
	if (rank == culprit)
		pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	reduce();
}

static KEPT void lock_window(void)
{
	MPI_Win win;
	double *base;

	MPI_Win_allocate(sizeof(*base), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
			 &win);
	if (rank == culprit) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Barrier(MPI_COMM_WORLD);
		sleeper();
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Put(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
	MPI_Win_unlock(0, win);
}

static KEPT void finish(void)
{
	if (rank == culprit)
		sleeper();
}

static KEPT void converge(void)
{
	double residual = rank == culprit ? NAN : 1;

	while (residual > 1e-9)
		reduce();
	checkpoint();
}

static KEPT void spawn(void)
{
	MPI_Comm children;

	if (rank == culprit)
		sleeper();
	MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
		       MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
}

static KEPT void write_all(void)
{
	MPI_File file;

	MPI_File_open(MPI_COMM_WORLD, "hangs.data",
		      MPI_MODE_CREATE | MPI_MODE_RDWR |
			      MPI_MODE_DELETE_ON_CLOSE,
		      MPI_INFO_NULL, &file);
	if (rank != culprit)
		MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof(out), out,
				      LARGE, MPI_DOUBLE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

/* No other process holds it, whose end would let this one go on. */
static KEPT void claim(void)
{
	if (rank == culprit)
		for (int i = 0; i < 2; i++)
			flock(open("hangs.lock", O_CREAT | O_RDWR | O_CLOEXEC,
				   0600),
			      LOCK_EX);
	reduce();
}

static KEPT void await(void)
{
	while (rank == culprit && access("hangs.never", R_OK))
		usleep(100000);
	reduce();
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER,
		       second = PTHREAD_MUTEX_INITIALIZER;

static KEPT void child(void)
{
	pthread_mutex_lock(&first);
	if (rank == culprit) {
		pid_t pid = fork();

		if (!pid)
			pthread_mutex_lock(&first);
		waitpid(pid, NULL, 0);
	}
	reduce();
}

static void *other_order(void *held)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(held);
	pthread_mutex_lock(&first);
	return NULL;
}

static KEPT void lock_order(void)
{
	static pthread_barrier_t held;
	pthread_t thread;

	if (rank == culprit) {
		pthread_barrier_init(&held, NULL, 2);
		pthread_mutex_lock(&first);
		pthread_create(&thread, NULL, other_order, &held);
		pthread_barrier_wait(&held);
		pthread_mutex_lock(&second);
	}
	reduce();
}

/* Others than the roots may go on. */
static KEPT void differ(void)
{
	MPI_Reduce(out, in, 1, MPI_DOUBLE, MPI_SUM, rank == 0 ? 0 : 1,
		   MPI_COMM_WORLD);
}

static KEPT void slow(void)
{
	double until = elapsed_seconds() + 20;

	while (elapsed_seconds() < until) {
		for (int i = 0; i < 2000 * (rank == culprit); i++)
			known_work();
		reduce();
	}
}

static KEPT void faulty(double seconds)
{
	volatile double *volatile nowhere = NULL;
	double until = elapsed_seconds() + seconds;

	while (elapsed_seconds() < until)
		known_work();
	*nowhere = 1;
}

static KEPT void crash(void)
{
	if (rank == culprit)
		faulty(0.5);
	reduce();
}

static KEPT void alone(void)
{
	double until = elapsed_seconds() + 5;

	while (rank == culprit && elapsed_seconds() < until)
		known_work();
	reduce();
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "skip", skip },    { "other", other },        { "leave", leave },
	{ "sends", sends },  { "lost", lost },          { "polls", polls },
	{ "loop", loop },    { "sleep", sleep_on },     { "lock", lock_twice },
	{ "slow", slow },    { "window", lock_window }, { "alone", alone },
	{ "crash", crash },  { "finish", finish },      { "nan", converge },
	{ "spawn", spawn },  { "write", write_all },    { "claim", claim },
	{ "await", await },  { "child", child },        { "order", lock_order },
	{ "roots", differ }, { "begun", begun }
};

/* Before MPI_Init, by what launchers say. */
static int launched_rank(void)
{
	const char *text = getenv("OMPI_COMM_WORLD_RANK");

	text = text ? text : getenv("PMI_RANK");
	return text ? atoi(text) : 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int steps;

	if (!strcmp(kind, "init") && launched_rank() == 3) {
		work_for(0.1); /* it has samples */
		sleeper();
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	culprit = argc > 2 ? atoi(argv[2]) : size - 1;
	steps = argc > 3 ? atoi(argv[3]) : strcmp(kind, "roots") ? 10 : 0;
	for (int i = 0; i < steps; i++) {
		for (int k = 0; k < 100; k++)
			known_work();
		reduce();
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, kind))
			kinds[i].run();
	MPI_Finalize();
	return 0;
}
