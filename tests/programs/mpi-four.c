/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-four.c [sessions] - what MPI-4 brought: large counts, persistent
 * collectives, partitioned communication, sessions; for 2 ranks or more.  With
 * the argument nothing but a session: without MPI_Init.  Output as in
 * mpi-calls.c; all say that they are rank 0 then.
 */
#include "mpi-truth.h"

#if MPI_VERSION < 4
int main(void)
{
	return 1; /* nothing to call: calls.sh skips */
}
#else
static int rank, size, left, right;
static double checksum;

static void begin(void)
{
	CALL(Init, (NULL, NULL), 0, 0);
	CALL(Comm_rank, (MPI_COMM_WORLD, &rank), 0, 0);
	CALL(Comm_size, (MPI_COMM_WORLD, &size), 0, 0);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
}

static void large_counts(void)
{
	MPI_Count counts[size], equal[size];          /* NOLINT: a test */
	MPI_Aint starts[size], same[size];            /* NOLINT */
	int out[100], in[100], all[10 * size * size]; /* NOLINT */
	MPI_Count n;
	MPI_Status status;
	MPI_Request r;

	for (int i = 0; i < 100; i++)
		out[i] = rank;
	CALL(Isend_c, (out, 100, MPI_INT, right, 1, MPI_COMM_WORLD, &r),
	     INTS(100), 0);
	CALL(Recv_c, (in, 100, MPI_INT, left, 1, MPI_COMM_WORLD, &status), 0,
	     INTS(100));
	CALL(Wait, (&r, MPI_STATUS_IGNORE), 0, 0);
	CALL(Get_count_c, (&status, MPI_INT, &n), 0, 0);
	checksum += in[99] + (double)n;
	CALL(Allreduce_c,
	     (MPI_IN_PLACE, out, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
	     INTS(10), INTS(10));
	for (int i = 0; i < size; i++) {
		counts[i] = equal[i] = i + 1;
		starts[i] = same[i] = (MPI_Aint)i * size;
		equal[i] = rank + 1;
	}
	memset(all, 0, sizeof(all));
	CALL(Alltoallv_c,
	     (out, equal, same, MPI_INT, all, counts, starts, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(size * (rank + 1)), INTS(size * (size + 1) / 2));
	CALL(Allgatherv_c,
	     (MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, starts, MPI_INT,
	      MPI_COMM_WORLD),
	     INTS(rank + 1), INTS(size * (size + 1) / 2 - rank - 1));
	checksum += all[0];
}

static void at_once(void)
{
	int out[20] = { rank }, in[30] = { 0 };
	MPI_Request r;

	CALL(Isendrecv,
	     (out, 20, MPI_INT, right, 2, in, 30, MPI_INT, left, 2,
	      MPI_COMM_WORLD, &r),
	     INTS(20), INTS(30));
	CALL(Wait, (&r, MPI_STATUS_IGNORE), 0, 0);
	CALL(Isendrecv_replace,
	     (out, 20, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, &r),
	     INTS(20), INTS(20));
	CALL(Wait, (&r, MPI_STATUS_IGNORE), 0, 0);
	checksum += in[0] + out[0];
}

static void persistent(void)
{
	double x[5] = { rank }, sum[5] = { 0 };
	MPI_Request r[2];

	CALL(Allreduce_init,
	     (x, sum, 5, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
	      &r[0]),
	     0, 0);
	CALL(Bcast_init,
	     (x, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]), 0, 0);
	for (int i = 0; i < 3; i++) {
		CALL(Start, (&r[0]), DOUBLES(5), DOUBLES(5));
		CALL(Wait, (&r[0], MPI_STATUS_IGNORE), 0, 0);
		CALL(Startall, (1, &r[1]), rank ? 0 : DOUBLES(3),
		     rank ? DOUBLES(3) : 0);
		CALL(Waitall, (1, &r[1], MPI_STATUSES_IGNORE), 0, 0);
	}
	checksum += sum[0] + x[0];
	CALL(Request_free, (&r[0]), 0, 0);
	CALL(Request_free, (&r[1]), 0, 0);
}

static void partitioned(void)
{
	int out[40] = { 0 }, in[40] = { 0 }, flag = 0;
	MPI_Request r[2];

	CALL(Precv_init,
	     (in, 4, 10, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
	      &r[0]),
	     0, 0);
	CALL(Psend_init,
	     (out, 4, 10, MPI_INT, right, 4, MPI_COMM_WORLD, MPI_INFO_NULL,
	      &r[1]),
	     0, 0);
	CALL(Startall, (2, r), INTS(40), INTS(40));
	for (int i = 0; i < 4; i++) {
		out[10 * i] = rank + i;
		CALL(Pready, (i, r[1]), 0, 0);
	}
	CALL(Wait, (&r[1], MPI_STATUS_IGNORE), 0, 0);
	while (!flag)
		CALL(Request_get_status, (r[0], &flag, MPI_STATUS_IGNORE), 0,
		     0);
	CALL(Parrived, (r[0], 3, &flag), 0, 0);
	CALL(Wait, (&r[0], MPI_STATUS_IGNORE), 0, 0);
	checksum += in[30] + flag;
	CALL(Request_free, (&r[0]), 0, 0);
	CALL(Request_free, (&r[1]), 0, 0);
}

static void session(const char *tag)
{
	MPI_Session s;
	MPI_Group group;
	MPI_Comm comm;
	int one = 1, sum = 0;

	CALL(Session_init, (MPI_INFO_NULL, MPI_ERRORS_RETURN, &s), 0, 0);
	CALL(Group_from_session_pset, (s, "mpi://WORLD", &group), 0, 0);
	CALL(Comm_create_from_group,
	     (group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), 0, 0);
	CALL(Group_free, (&group), 0, 0);
	CALL(Allreduce, (&one, &sum, 1, MPI_INT, MPI_SUM, comm), INTS(1),
	     INTS(1));
	CALL(Comm_free, (&comm), 0, 0);
	CALL(Session_finalize, (&s), 0, 0);
	checksum += sum;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "sessions")) {
		session("org.copse.alone");
	} else {
		begin();
		large_counts();
		at_once();
		persistent();
		partitioned();
		session("org.copse.beside");
		CALL(Finalize, (), 0, 0);
	}
	print_truths(rank);
	printf("checksum %d %.0f\n", rank, checksum);
	return 0;
}
#endif
