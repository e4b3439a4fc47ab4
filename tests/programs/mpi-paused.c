/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-paused.c [killed] - pauses that lie within what is measured: an MPI call
 * that another thread's pause begins and ends in, and the life of a request;
 * killed: a call, too, that never ends.  Where there is a second process, it
 * sends late what the first receives.
 *
 * Prints `between NAME LEAST MOST`, in seconds, for calls (a function's name)
 * and for all requests' lives (requests); what was paused is in neither.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "known.h"

enum {
	SENT = 1,
	NEVER_SENT,
};

static void (*stop)(void), (*go)(void);
static double begun, paused, last;
static bool killed;
static pthread_t receiver;
static int source; /* 0: it is its own */

static void nothing(void)
{
}

static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : (void *)nothing;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Seconds that passed. */
static double sleep_for(double seconds)
{
	struct timespec t = { .tv_nsec = (long)(seconds * 1e9) };
	double start = now();

	nanosleep(&t, NULL);
	return now() - start;
}

static void pause_for(double seconds)
{
	stop();
	paused = sleep_for(seconds);
	go();
}

static void between(const char *name, double least, double most)
{
	printf("between %s %.6f %.6f\n", name, least, most);
	fflush(stdout);
}

/* Until the receiver had its core for long enough to be seen by samples. */
static void wait_for_receiver(double seconds)
{
	struct timespec t;
	clockid_t clock;
	double until = 0;

	pthread_getcpuclockid(receiver, &clock);
	for (;;) {
		clock_gettime(clock, &t);
		if (until == 0)
			until = (double)t.tv_sec + (double)t.tv_nsec * 1e-9 +
				seconds;
		if ((double)t.tv_sec + (double)t.tv_nsec * 1e-9 >= until)
			return;
		sleep_for(0.005);
	}
}

static void *meanwhile(void *unused)
{
	double out = 1;

	sleep_for(0.2);
	pause_for(0.5);
	last = sleep_for(0.2);
	if (killed) {
		wait_for_receiver(0.1);
		between("MPI_Recv", 0.1, now() - begun - paused);
		raise(SIGKILL);
	}
	if (!source)
		MPI_Send(&out, 1, MPI_DOUBLE, 0, SENT, MPI_COMM_WORLD);
	return unused;
}

static void receive(int tag)
{
	pthread_t other;
	double in, took;

	receiver = pthread_self();
	begun = now();
	if (pthread_create(&other, NULL, meanwhile, NULL))
		exit(1);
	MPI_Recv(&in, 1, MPI_DOUBLE, source, tag, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
	took = now() - begun;
	pthread_join(other, NULL);
	between("MPI_Recv", last, took - paused);
}

static void request(void)
{
	double in, out = 1, open;
	MPI_Request r;

	begun = now();
	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, SENT, MPI_COMM_SELF, &r);
	pause_for(0.5);
	open = sleep_for(0.1);
	MPI_Send(&out, 1, MPI_DOUBLE, 0, SENT, MPI_COMM_SELF);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	between("requests", open, now() - begun - paused);
}

/* While the first has paused, and after it. */
static void send_late(void)
{
	double out = 1;

	for (int i = 0; i < 3; i++)
		sleep_for(0.4);
	MPI_Send(&out, 1, MPI_DOUBLE, 0, SENT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int threads, rank;

	killed = argc > 1 && !strcmp(argv[1], "killed");
	stop = (void (*)(void))find("copse_pause");
	go = (void (*)(void))find("copse_resume");
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
	if (threads != MPI_THREAD_MULTIPLE)
		return 77;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &source);
	source--;
	MPI_Barrier(MPI_COMM_WORLD);
	if (!source && !killed)
		request();
	if (!rank)
		receive(killed ? NEVER_SENT : SENT);
	else
		send_late();
	MPI_Finalize();
	return 0;
}
