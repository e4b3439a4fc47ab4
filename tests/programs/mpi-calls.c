/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-calls.c [FILE] - MPI calls of all kinds, each with the bytes that it
 * moves by construction; for 2 ranks or more.  FILE is written and removed.
 *
 * Each rank prints, for each function that it called, one line
 *     truth RANK FUNCTION CALLS BYTES-SENT BYTES-RECEIVED
 * and the last line of each rank is `checksum RANK NUMBER`.
 */
#include "mpi-truth.h"

static int rank, size, left, right;
static double checksum;
static char *empty; /* NULL, for calls that move nothing */

static void begin(int *argc, char ***argv)
{
	int flag;

	CALL(Initialized, (&flag), 0, 0);
	CALL(Init, (argc, argv), 0, 0);
	CALL(Comm_rank, (MPI_COMM_WORLD, &rank), 0, 0);
	CALL(Comm_size, (MPI_COMM_WORLD, &size), 0, 0);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
}

/* What arrives counts, not the room there is. */
static void blocking(void)
{
	double out[10], in[100] = { 0 };
	int few[3] = { rank, 1, 2 }, many[50] = { 0 }, n;
	MPI_Status status;

	for (int i = 0; i < 10; i++)
		out[i] = rank + i;
	for (int i = 0; i < 5; i++) {
		CALL(Send, (out, 10, MPI_DOUBLE, right, 1, MPI_COMM_WORLD),
		     DOUBLES(10), 0);
		CALL(Recv,
		     (in, 100, MPI_DOUBLE, left, 1, MPI_COMM_WORLD,
		      MPI_STATUS_IGNORE),
		     0, DOUBLES(10));
		checksum += in[9];
	}
	CALL(Send, (few, 2, MPI_INT, right, 2, MPI_COMM_WORLD), INTS(2), 0);
	CALL(Probe, (left, 2, MPI_COMM_WORLD, &status), 0, 0);
	CALL(Get_count, (&status, MPI_INT, &n), 0, 0);
	CALL(Recv, (many, n, MPI_INT, left, 2, MPI_COMM_WORLD, &status), 0,
	     INTS(2));
	CALL(Sendrecv,
	     (few, 3, MPI_INT, right, 3, many, 50, MPI_INT, left, 3,
	      MPI_COMM_WORLD, MPI_STATUS_IGNORE),
	     INTS(3), INTS(3));
	checksum += many[0];
	CALL(Sendrecv_replace,
	     (few, 3, MPI_INT, right, 4, left, 4, MPI_COMM_WORLD, &status),
	     INTS(3), INTS(3));
	checksum += few[0];
}

static void nothing_moves(void)
{
	int x = 0;

	CALL(Send, (&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD), 0, 0);
	CALL(Recv,
	     (&x, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD,
	      MPI_STATUS_IGNORE),
	     0, 0);
	CALL(Send, (empty, 0, MPI_INT, right, 5, MPI_COMM_WORLD), 0, 0);
	CALL(Recv,
	     (empty, 0, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0,
	     0);
	CALL(Allreduce, (empty, empty, 0, MPI_INT, MPI_SUM, MPI_COMM_WORLD), 0,
	     0);
	CALL(Barrier, (MPI_COMM_WORLD), 0, 0);
}

static void nonblocking(void)
{
	int out[1000], in[1000], value = rank, sum = 0, flag = 0;
	MPI_Request r[2];

	for (int i = 0; i < 1000; i++)
		out[i] = rank;
	CALL(Irecv, (in, 1000, MPI_INT, left, 6, MPI_COMM_WORLD, &r[0]), 0,
	     INTS(1000));
	CALL(Isend, (out, 1000, MPI_INT, right, 6, MPI_COMM_WORLD, &r[1]),
	     INTS(1000), 0);
	CALL(Waitall, (2, r, MPI_STATUSES_IGNORE), 0, 0);
	checksum += in[999];
	CALL(Irecv, (in, 10, MPI_INT, left, 7, MPI_COMM_WORLD, &r[0]), 0,
	     INTS(10));
	CALL(Isend, (out, 10, MPI_INT, right, 7, MPI_COMM_WORLD, &r[1]),
	     INTS(10), 0);
	while (!flag)
		CALL(Test, (&r[0], &flag, MPI_STATUS_IGNORE), 0, 0);
	CALL(Wait, (&r[1], MPI_STATUS_IGNORE), 0, 0);
	CALL(Iallreduce,
	     (&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[0]),
	     INTS(1), INTS(1));
	CALL(Wait, (&r[0], MPI_STATUS_IGNORE), 0, 0);
	CALL(Ibcast, (&sum, 1, MPI_INT, 0, MPI_COMM_WORLD, &r[0]),
	     rank == 0 ? INTS(1) : 0, rank == 0 ? 0 : INTS(1));
	CALL(Wait, (&r[0], MPI_STATUS_IGNORE), 0, 0);
	checksum += sum;
}

/* More than a wrapper has room for on its stack, an odd number, from anyone. */
static void many_at_once(void)
{
	int out[33], in[33];
	MPI_Request r[66];

	for (int i = 0; i < 33; i++)
		CALL(Irecv,
		     (&in[i], 1, MPI_INT, MPI_ANY_SOURCE, 100 + i,
		      MPI_COMM_WORLD, &r[i]),
		     0, INTS(1));
	for (int i = 0; i < 33; i++) {
		out[i] = rank + i;
		CALL(Isend,
		     (&out[i], 1, MPI_INT, right, 100 + i, MPI_COMM_WORLD,
		      &r[33 + i]),
		     INTS(1), 0);
	}
	CALL(Waitall, (33, r, MPI_STATUSES_IGNORE), 0, 0);
	CALL(Waitall, (33, r + 33, MPI_STATUSES_IGNORE), 0, 0);
	for (int i = 0; i < 33; i++)
		checksum += in[i] == left + i ? 1 : 1000;
}

static void persistent(void)
{
	int out[20], in[20];
	MPI_Request r[2];

	CALL(Send_init, (out, 20, MPI_INT, right, 8, MPI_COMM_WORLD, &r[0]), 0,
	     0);
	CALL(Recv_init, (in, 20, MPI_INT, left, 8, MPI_COMM_WORLD, &r[1]), 0,
	     0);
	for (int i = 0; i < 3; i++) {
		out[0] = rank + i;
		CALL(Startall, (2, r), INTS(20), INTS(20));
		CALL(Waitall, (2, r, MPI_STATUSES_IGNORE), 0, 0);
		checksum += in[0];
	}
	CALL(Start, (&r[1]), 0, INTS(20));
	CALL(Start, (&r[0]), INTS(20), 0);
	CALL(Waitall, (2, r, MPI_STATUSES_IGNORE), 0, 0);
	CALL(Request_free, (&r[0]), 0, 0);
	CALL(Request_free, (&r[1]), 0, 0);
}

static void rooted(void)
{
	int root = size - 1, at_root = rank == root;
	double x[100] = { 0 };
	int mine[10], total[10], all[10 * size]; /* NOLINT: a test */

	x[0] = at_root;
	CALL(Bcast, (x, 100, MPI_DOUBLE, root, MPI_COMM_WORLD),
	     at_root ? DOUBLES(100) : 0, at_root ? 0 : DOUBLES(100));
	for (int i = 0; i < 10; i++)
		mine[i] = total[i] = rank;
	CALL(Reduce, (mine, total, 10, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD),
	     INTS(10), at_root ? INTS(10) : 0);
	CALL(Reduce,
	     (at_root ? MPI_IN_PLACE : mine, total, 10, MPI_INT, MPI_MAX, root,
	      MPI_COMM_WORLD),
	     INTS(10), at_root ? INTS(10) : 0);
	CALL(Gather,
	     (mine, 10, MPI_INT, all, at_root ? 10 : -1,
	      at_root ? MPI_INT : MPI_DATATYPE_NULL, root, MPI_COMM_WORLD),
	     INTS(10), at_root ? INTS(10 * size) : 0);
	CALL(Gather,
	     (at_root ? MPI_IN_PLACE : mine, 10, MPI_INT, all, 10, MPI_INT,
	      root, MPI_COMM_WORLD),
	     at_root ? 0 : INTS(10), at_root ? INTS(10 * (size - 1)) : 0);
	CALL(Scatter,
	     (all, 10, MPI_INT, mine, 10, MPI_INT, root, MPI_COMM_WORLD),
	     at_root ? INTS(10 * size) : 0, INTS(10));
	CALL(Scatter,
	     (all, 10, MPI_INT, at_root ? MPI_IN_PLACE : mine, 10, MPI_INT,
	      root, MPI_COMM_WORLD),
	     at_root ? INTS(10 * (size - 1)) : 0, at_root ? 0 : INTS(10));
	checksum += x[0] + mine[9] + (at_root ? total[0] : 0);
}

/* Rank i gives i + 1 numbers. */
static void uneven(void)
{
	int counts[size], starts[size], equal[size], same[size]; /* NOLINT */
	int n = rank + 1, all = size * (size + 1) / 2, at_root = rank == 0;
	int out[size * size], in[all]; /* NOLINT */

	for (int i = 0, at = 0; i < size; at += ++i) {
		counts[i] = i + 1;
		starts[i] = at;
		equal[i] = n;
		same[i] = i * n;
	}
	for (int i = 0; i < size * n; i++)
		out[i] = rank;
	CALL(Alltoallv,
	     (out, equal, same, MPI_INT, in, counts, starts, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(size * n), INTS(all));
	CALL(Allgatherv,
	     (out, n, MPI_INT, in, counts, starts, MPI_INT, MPI_COMM_WORLD),
	     INTS(n), INTS(all));
	CALL(Allgatherv,
	     (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, counts, starts, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(n), INTS(all - n));
	CALL(Gatherv,
	     (out, n, MPI_INT, in, at_root ? counts : NULL,
	      at_root ? starts : NULL, MPI_INT, 0, MPI_COMM_WORLD),
	     INTS(n), at_root ? INTS(all) : 0);
	CALL(Scatterv,
	     (in, counts, starts, MPI_INT, out, n, MPI_INT, 0, MPI_COMM_WORLD),
	     at_root ? INTS(all) : 0, INTS(n));
	CALL(Reduce_scatter,
	     (in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD), INTS(all),
	     INTS(n));
	checksum += out[0];
}

static void everyone(void)
{
	double x[7] = { rank }, sum[7];
	int out[2 * size], in[2 * size]; /* NOLINT */

	CALL(Allreduce, (x, sum, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
	     DOUBLES(7), DOUBLES(7));
	CALL(Allreduce,
	     (MPI_IN_PLACE, x, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
	     DOUBLES(7), DOUBLES(7));
	CALL(Scan, (x, sum, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD), DOUBLES(7),
	     DOUBLES(7));
	CALL(Exscan, (x, sum, 7, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD),
	     DOUBLES(7), rank == 0 ? 0 : DOUBLES(7));
	for (int i = 0; i < 2 * size; i++)
		out[i] = rank;
	CALL(Alltoall, (out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD),
	     INTS(2 * size), INTS(2 * size));
	CALL(Alltoall,
	     (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(2 * (size - 1)), INTS(2 * (size - 1)));
	CALL(Allgather, (out, 2, MPI_INT, in, 2, MPI_INT, MPI_COMM_WORLD),
	     INTS(2), INTS(2 * size));
	CALL(Allgather,
	     (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 2, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(2), INTS(2 * (size - 1)));
	CALL(Reduce_scatter_block,
	     (in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD), INTS(2 * size),
	     INTS(2));
	checksum += x[0] + in[2 * size - 1] + out[0];
}

/* A type of 3 doubles in every 10, 2 of them. */
static void derived(void)
{
	double out[20] = { rank }, in[6];
	MPI_Datatype comb;

	CALL(Type_vector, (2, 3, 10, MPI_DOUBLE, &comb), 0, 0);
	CALL(Type_commit, (&comb), 0, 0);
	CALL(Send, (out, 1, comb, right, 9, MPI_COMM_WORLD), DOUBLES(6), 0);
	CALL(Recv,
	     (in, 6, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), 0,
	     DOUBLES(6));
	CALL(Type_free, (&comb), 0, 0);
	checksum += in[0];
}

static void one_sided(void)
{
	double window[30] = { 0 }, x[10] = { rank };
	MPI_Win win;

	CALL(Win_create,
	     (window, sizeof(window), sizeof(double), MPI_INFO_NULL,
	      MPI_COMM_WORLD, &win),
	     0, 0);
	CALL(Win_fence, (0, win), 0, 0);
	CALL(Put, (x, 10, MPI_DOUBLE, right, 0, 10, MPI_DOUBLE, win),
	     DOUBLES(10), 0);
	CALL(Accumulate,
	     (x, 5, MPI_DOUBLE, right, 10, 5, MPI_DOUBLE, MPI_SUM, win),
	     DOUBLES(5), 0);
	CALL(Win_fence, (0, win), 0, 0);
	CALL(Get, (x, 4, MPI_DOUBLE, left, 0, 4, MPI_DOUBLE, win), 0,
	     DOUBLES(4));
	CALL(Put, (x, 10, MPI_DOUBLE, MPI_PROC_NULL, 0, 10, MPI_DOUBLE, win), 0,
	     0);
	CALL(Win_fence, (0, win), 0, 0);
	checksum += window[0] + x[0];
	CALL(Win_free, (&win), 0, 0);
}

/* Each rank has 100 bytes of the file; the last read runs over its end. */
static void file(const char *path)
{
	char text[200];
	int at_end = rank == size - 1;
	MPI_File f;

	memset(text, 'a' + rank, sizeof(text));
	CALL(File_open,
	     (MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
	      MPI_INFO_NULL, &f),
	     0, 0);
	CALL(File_write_at,
	     (f, 100 * rank, text, 100, MPI_CHAR, MPI_STATUS_IGNORE), 100, 0);
	CALL(File_sync, (f), 0, 0);
	CALL(Barrier, (MPI_COMM_WORLD), 0, 0);
	CALL(File_read_at_all, (f, 0, text, 200, MPI_CHAR, MPI_STATUS_IGNORE),
	     0, 200);
	CALL(File_read_at,
	     (f, 100 * rank, text, 200, MPI_CHAR, MPI_STATUS_IGNORE), 0,
	     at_end ? 100 : 200);
	CALL(File_close, (&f), 0, 0);
	checksum += text[99];
	if (rank == 0)
		CALL(File_delete, (path, MPI_INFO_NULL), 0, 0);
}

/* A line of ranks: the first and the last have one neighbour. */
static void communicators(void)
{
	int dims[1] = { size }, periods[1] = { 0 }, sum, one = 1;
	int out[2] = { rank, rank }, in[2] = { 0, 0 };
	int neighbours = (rank > 0) + (rank < size - 1);
	MPI_Comm line, half, dup, inter;

	CALL(Cart_create, (MPI_COMM_WORLD, 1, dims, periods, 0, &line), 0, 0);
	CALL(Neighbor_alltoall, (out, 1, MPI_INT, in, 1, MPI_INT, line),
	     INTS(neighbours), INTS(neighbours));
	CALL(Comm_split, (MPI_COMM_WORLD, rank % 2, rank, &half), 0, 0);
	CALL(Allreduce, (&one, &sum, 1, MPI_INT, MPI_SUM, half), INTS(1),
	     INTS(1));
	CALL(Comm_dup, (half, &dup), 0, 0);
	CALL(Barrier, (dup), 0, 0);
	CALL(Intercomm_create,
	     (half, 0, MPI_COMM_WORLD, !(rank % 2), 10, &inter), 0, 0);
	/* The even ones tell the odd ones, by their first. */
	CALL(Bcast,
	     (&one, 1, MPI_INT,
	      rank % 2    ? 0
	      : rank == 0 ? MPI_ROOT
			  : MPI_PROC_NULL,
	      inter),
	     rank == 0 ? INTS(1) : 0, rank % 2 ? INTS(1) : 0);
	checksum += sum + in[0] + in[1];
	CALL(Comm_free, (&inter), 0, 0);
	CALL(Comm_free, (&dup), 0, 0);
	CALL(Comm_free, (&half), 0, 0);
	CALL(Comm_free, (&line), 0, 0);
}

int main(int argc, char **argv)
{
	int flag;

	begin(&argc, &argv);
	blocking();
	nothing_moves();
	nonblocking();
	many_at_once();
	persistent();
	rooted();
	uneven();
	everyone();
	derived();
	one_sided();
	file(argc > 1 ? argv[1] : "mpi-calls.tmp");
	communicators();
	CALL(Finalize, (), 0, 0);
	CALL(Finalized, (&flag), 0, 0);
	print_truths(rank);
	printf("checksum %d %.0f\n", rank, checksum);
	return 0;
}
