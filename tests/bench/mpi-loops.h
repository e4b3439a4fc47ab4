/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-loops.h - cheap MPI calls many times, for benches of what a wrapper
 * costs.  With one process: MPI_Comm_rank, which does nearly nothing, polls
 * that find nothing with MPI_Iprobe and MPI_Test, and 8 bytes to the process
 * itself by MPI_Sendrecv, MPI_Send and MPI_Recv, these in a function that is
 * called from 6 places, and two MPI_Isend and MPI_Irecv with MPI_Waitall.  With
 * two: a ping-pong of 8 bytes, and MPI_Allreduce of 8 bytes.
 *
 * Who includes it says by MPI_CALL(Send, …) how MPI_Send is called, and sets
 * `rank`.  A ping-pong's round trip is four calls: two of each process, one
 * after the other.
 */
#pragma once

#include <mpi.h>

#include "../programs/known.h"

static int rank;
static double out = 1, in;

static double elapsed(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static KEPT void rank_loop(long rounds)
{
	for (long i = 0; i < rounds; i++)
		MPI_CALL(Comm_rank, MPI_COMM_SELF, &rank);
}

static KEPT void iprobe_loop(long rounds)
{
	int flag;

	for (long i = 0; i < rounds; i++)
		MPI_CALL(Iprobe, 0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static KEPT void test_loop(long rounds)
{
	static MPI_Request never = MPI_REQUEST_NULL;
	int flag;

	/* Nobody sends with that tag. */
	if (never == MPI_REQUEST_NULL)
		MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &never);
	for (long i = 0; i < rounds; i++)
		MPI_CALL(Test, &never, &flag, MPI_STATUS_IGNORE);
}

static KEPT void sendrecv_loop(long rounds)
{
	for (long i = 0; i < rounds; i++)
		MPI_CALL(Sendrecv, &out, 1, MPI_DOUBLE, 0, 0, &in, 1,
			 MPI_DOUBLE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static KEPT void send_loop(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		MPI_CALL(Send, &out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
		MPI_CALL(Recv, &in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF,
			 MPI_STATUS_IGNORE);
	}
}

static KEPT void exchange(void)
{
	MPI_CALL(Send, &out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
	MPI_CALL(Recv, &in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF,
		 MPI_STATUS_IGNORE);
}

static KEPT void callers_loop(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		exchange();
		exchange();
		exchange();
		exchange();
		exchange();
		exchange();
	}
}

static KEPT void waitall_loop(long rounds)
{
	MPI_Request r[4];
	double got[2];

	for (long i = 0; i < rounds; i++) {
		for (int j = 0; j < 2; j++)
			MPI_CALL(Irecv, &got[j], 1, MPI_DOUBLE, 0, j,
				 MPI_COMM_SELF, &r[j]);
		for (int j = 0; j < 2; j++)
			MPI_CALL(Isend, &out, 1, MPI_DOUBLE, 0, j,
				 MPI_COMM_SELF, &r[2 + j]);
		MPI_CALL(Waitall, 4, r, MPI_STATUSES_IGNORE);
	}
}

static KEPT void ping_loop(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		if (rank == 0)
			MPI_CALL(Send, &out, 1, MPI_DOUBLE, 1, 0,
				 MPI_COMM_WORLD);
		MPI_CALL(Recv, &in, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_CALL(Send, &out, 1, MPI_DOUBLE, 0, 0,
				 MPI_COMM_WORLD);
	}
}

static KEPT void allreduce_loop(long rounds)
{
	for (long i = 0; i < rounds; i++)
		MPI_CALL(Allreduce, &out, &in, 1, MPI_DOUBLE, MPI_SUM,
			 MPI_COMM_WORLD);
}

static const struct loop {
	const char *name;
	void (*run)(long rounds);
	int ranks;
	int calls; /* of one round, one after the other */
	double (*clock)(void);
} loops[] = {
	{ "MPI_Comm_rank", rank_loop, 1, 1, cpu_seconds },
	{ "MPI_Iprobe", iprobe_loop, 1, 1, cpu_seconds },
	{ "MPI_Test", test_loop, 1, 1, cpu_seconds },
	{ "MPI_Sendrecv", sendrecv_loop, 1, 1, cpu_seconds },
	{ "Send+Recv", send_loop, 1, 2, cpu_seconds },
	{ "by_6_callers", callers_loop, 1, 12, cpu_seconds },
	{ "Isend+Irecv+Waitall", waitall_loop, 1, 5, cpu_seconds },
	{ "ping-pong", ping_loop, 2, 4, elapsed },
	{ "MPI_Allreduce", allreduce_loop, 2, 1, elapsed },
};

#define LOOPS (sizeof(loops) / sizeof(loops[0]))

/* So many frames below _start's, main and the loop among them. */
static const int depths[] = { 2, 20, 60 };

#define DEPTHS (sizeof(depths) / sizeof(depths[0]))
