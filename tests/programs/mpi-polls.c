/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-polls.c ROUNDS - polls from several places, most of which find nothing.
 * Two of them are the same call in the same function at the same depth of the
 * stack, reached by two ways, without another MPI call between; two more are
 * one call at two depths of a recursion; and two lie far below what tells their
 * ways apart, with another MPI call between.
 *
 * Prints `polls FUNCTION WAY CALLS`, the calls of a function on the paths that
 * lead through another one, through it twice, or also in a phase; `requests
 * CALLS`, that were completed by polls; and `probes SECONDS`, which were spent
 * on nothing but the calls of MPI_Iprobe.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>

#include "known.h"

enum {
	LATE = 200,  /* messages that come … */
	POLLS = 100, /* … when so many have asked for it */
};

static MPI_Request never;
static long found, late_found;
static int waits; /* for a late message; atomic */

static inline void poll_inline(void)
{
	int flag;

	MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
}

static KEPT void poll_once(void)
{
	poll_inline();
	__asm__ volatile("");
}

static KEPT void one_way(void)
{
	for (volatile int i = 0; i < 3; i++)
		poll_once(); /* from one place */
	__asm__ volatile("");
}

static KEPT void other_way(void)
{
	for (volatile int i = 0; i < 1; i++)
		poll_once();
	__asm__ volatile("");
}

static KEPT void deeper(int more)
{
	for (volatile int i = 0; i < 3; i++)
		poll_inline();
	if (more)
		deeper(more - 1);
	__asm__ volatile("");
}

/* Far below what tells the two ways apart. */
static KEPT void below(int more)
{
	if (more)
		below(more - 1);
	for (volatile int i = 0; !more && i < 3; i++)
		poll_inline();
	__asm__ volatile("");
}

static KEPT void left(void)
{
	below(9);
	__asm__ volatile("");
}

static KEPT void right(void)
{
	below(9);
	__asm__ volatile("");
}

/* With another call between. */
static KEPT void both_sides(void)
{
	int size;

	left();
	MPI_Comm_size(MPI_COMM_SELF, &size);
	right();
	MPI_Comm_size(MPI_COMM_SELF, &size);
}

/* What it polls for has come, mostly at once. */
static KEPT void messages(void)
{
	double out = 1, in;
	MPI_Request r[2];
	int flag = 0;

	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r[0]);
	MPI_Isend(&out, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &r[1]);
	for (; !flag; found++)
		MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
}

static void no_phase(const char *name)
{
	(void)name;
}

/* A phase or none: libcopse.so is there when the program is measured. */
static void (*find(const char *function))(const char *)
{
	void (*found)(const char *) =
		(void (*)(const char *))dlsym(RTLD_DEFAULT, function);

	return found ? found : no_phase;
}

/* From one place before, in and after a phase inside another. */
static KEPT void phased(long rounds)
{
	void (*begin)(const char *) = find("copse_begin");
	void (*end)(const char *) = find("copse_end");

	for (int i = 0; i < 3; i++) {
		if (i < 2)
			begin(i ? "inner" : "outer");
		for (long j = 0; j < rounds; j++)
			poll_once();
		if (i > 0)
			end(i > 1 ? "outer" : "inner");
	}
}

/* Another thread sends what this one polls for, long since. */
static void *send_late(void *unused)
{
	double out = 1;

	for (int i = 0; i < LATE; i++) {
		while (!__atomic_load_n(&waits, __ATOMIC_ACQUIRE))
			sched_yield();
		__atomic_store_n(&waits, 0, __ATOMIC_RELEASE);
		MPI_Send(&out, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF);
	}
	return unused;
}

static KEPT void late(void)
{
	double in;
	MPI_Request r;
	int flag = 0;

	MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 4, MPI_COMM_SELF, &r);
	for (int i = 1; !flag; i++) {
		if (i == POLLS)
			__atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
		late_found++;
	}
}

static KEPT double probes(long rounds)
{
	double begun = MPI_Wtime();
	int flag;

	for (long i = 0; i < rounds; i++)
		MPI_Iprobe(0, 3, i % 100 ? MPI_COMM_SELF : MPI_COMM_WORLD,
			   &flag, MPI_STATUS_IGNORE);
	return MPI_Wtime() - begun;
}

/* Half of them. */
static KEPT void in_pause(long rounds)
{
	for (long i = 0; i < 2 * rounds; i++) {
		if (i == rounds)
			MPI_Pcontrol(0);
		poll_once();
	}
	MPI_Pcontrol(1);
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100000;
	long quarter = (rounds + 3) / 4;
	double last = 0, out = 1, seconds;
	pthread_t sender;
	int threads;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
	MPI_Irecv(&last, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &never);
	for (long i = 0; i < rounds; i++) {
		one_way();
		other_way();
		if (i % 4 == 0) {
			deeper(1);
			both_sides();
		}
		if (i % 100 == 0)
			messages();
	}
	seconds = probes(20 * rounds);
	in_pause(quarter);
	phased(quarter);
	if (threads == MPI_THREAD_MULTIPLE) {
		pthread_create(&sender, NULL, send_late, NULL);
		for (int i = 0; i < LATE; i++)
			late();
		pthread_join(sender, NULL);
		printf("polls MPI_Test late %ld\n", late_found);
	}
	printf("polls MPI_Test one_way %ld\n", 3 * rounds);
	printf("polls MPI_Test other_way %ld\n", rounds);
	printf("polls MPI_Test deeper %ld\n", 3 * quarter);
	printf("polls MPI_Test deeperdeeper %ld\n", 3 * quarter);
	printf("polls MPI_Test phasedouter %ld\n", 2 * quarter);
	printf("polls MPI_Test phasedinnerouter %ld\n", quarter);
	printf("polls MPI_Test left %ld\n", 3 * quarter);
	printf("polls MPI_Test right %ld\n", 3 * quarter);
	printf("polls MPI_Test in_pause %ld\n", quarter);
	printf("polls MPI_Testall messages %ld\n", found);
	printf("polls MPI_Iprobe probes %ld\n", 20 * rounds);
	printf("probes %.6f\n", seconds);
	printf("requests %ld\n",
	       2 * ((rounds + 99) / 100) + (late_found ? LATE : 0));
	MPI_Send(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF);
	MPI_Wait(&never, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
