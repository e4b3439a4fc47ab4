/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-call.c CALLS - cheap MPI calls many times, at call depths 2, 20 and 60.
 * With one process: MPI_Comm_rank, which does nearly nothing, polls that find
 * nothing with MPI_Iprobe and MPI_Test, and 8 bytes to the process itself by
 * MPI_Sendrecv, MPI_Send and MPI_Recv, and two MPI_Isend and MPI_Irecv with
 * MPI_Waitall.  With two: a ping-pong of 8 bytes, and MPI_Allreduce of 8 bytes.
 *
 * Prints one line for each: the name, the depth and the nanoseconds of a
 * call, the best of 5 turns.  Of a ping-pong's round trip that is a fourth:
 * two calls of each process, one after the other.
 */
#include <mpi.h>

#include "../programs/known.h"

#define TURNS 5

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
		MPI_Comm_rank(MPI_COMM_SELF, &rank);
}

static KEPT void iprobe_loop(long rounds)
{
	int flag;

	for (long i = 0; i < rounds; i++)
		MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static KEPT void test_loop(long rounds)
{
	static MPI_Request never = MPI_REQUEST_NULL;
	int flag;

	/* Nobody sends with that tag. */
	if (never == MPI_REQUEST_NULL)
		MPI_Irecv(&in, 1, MPI_DOUBLE, 0, 2, MPI_COMM_SELF, &never);
	for (long i = 0; i < rounds; i++)
		MPI_Test(&never, &flag, MPI_STATUS_IGNORE);
}

static KEPT void sendrecv_loop(long rounds)
{
	for (long i = 0; i < rounds; i++)
		MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0,
			     0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static KEPT void send_loop(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		MPI_Send(&out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
		MPI_Recv(&in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF,
			 MPI_STATUS_IGNORE);
	}
}

static KEPT void waitall_loop(long rounds)
{
	MPI_Request r[4];
	double got[2];

	for (long i = 0; i < rounds; i++) {
		for (int j = 0; j < 2; j++)
			MPI_Irecv(&got[j], 1, MPI_DOUBLE, 0, j, MPI_COMM_SELF,
				  &r[j]);
		for (int j = 0; j < 2; j++)
			MPI_Isend(&out, 1, MPI_DOUBLE, 0, j, MPI_COMM_SELF,
				  &r[2 + j]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	}
}

static KEPT void ping_loop(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		if (rank == 0)
			MPI_Send(&out, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(&in, 1, MPI_DOUBLE, !rank, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(&out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
	}
}

static KEPT void allreduce_loop(long rounds)
{
	for (long i = 0; i < rounds; i++)
		MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM,
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
	{ "Isend+Irecv+Waitall", waitall_loop, 1, 5, cpu_seconds },
	{ "ping-pong", ping_loop, 2, 4, elapsed },
	{ "MPI_Allreduce", allreduce_loop, 2, 1, elapsed },
};

#define IN_PLACE inline __attribute__((always_inline))

static IN_PLACE double timed(const struct loop *loop, long rounds)
{
	double start = loop->clock();

	loop->run(rounds);
	return loop->clock() - start;
}

/* The loop, below so many frames of this. */
static KEPT double fall(int frames, const struct loop *loop, long rounds)
{
	double took = frames > 1 ? fall(frames - 1, loop, rounds)
				 : timed(loop, rounds);

	__asm__ volatile("");
	return took;
}

static IN_PLACE void measure(const struct loop *loop, long calls)
{
	static const int depths[] = { 2, 20, 60 };
	long rounds = calls / loop->calls;

	for (int i = 0; i < 3; i++) {
		double best = 1e9, took;
		int frames = depths[i] - 2; /* beside main and the loop */

		for (int t = 0; t < TURNS; t++) {
			MPI_Barrier(MPI_COMM_WORLD);
			took = frames ? fall(frames, loop, rounds)
				      : timed(loop, rounds);
			best = took < best ? took : best;
		}
		if (rank == 0)
			printf("%s %d %.2f\n", loop->name, depths[i],
			       best * 1e9 / (double)(rounds * loop->calls));
	}
}

int main(int argc, char **argv)
{
	long calls = argc > 1 ? atol(argv[1]) : 300000;
	int ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
		if (loops[i].ranks == ranks)
			measure(&loops[i], calls);
	MPI_Finalize();
	return 0;
}
