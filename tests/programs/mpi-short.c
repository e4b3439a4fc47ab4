/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-short.c [threads] - rank 1 gets messages of 8 bytes from rank 0 in a
 * buffer of 1 MiB, completed in each way, with statuses and without: 900 by
 * MPI_Irecv, 100 by MPI_Start, 100 by MPI_Imrecv; and one that is cancelled,
 * one from no process.  With the argument another thread than the one that
 * began them completes all but the cancelled one and a group of 100.
 */
#include <mpi.h>
#include <pthread.h>

enum {
	SIZE = 1 << 20,
	TIMES = 100,
	GROUP = 20, /* more than any array of ours on the stack */
	WAYS = 9
};

static char buffers[GROUP][SIZE];
static MPI_Status statuses[GROUP];
static int threads;

static void receive(MPI_Request *request, int tag)
{
	MPI_Irecv(buffers[0], SIZE, MPI_CHAR, 0, tag, MPI_COMM_WORLD, request);
}

static void complete(int way, MPI_Request *request)
{
	int index[1], count, flag = 0;

	switch (way) {
	case 0:
		MPI_Wait(request, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Wait(request, statuses);
		break;
	case 2:
		while (!flag)
			MPI_Test(request, &flag, MPI_STATUS_IGNORE);
		break;
	case 3:
		MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
		break;
	case 4:
		MPI_Waitall(1, request, statuses);
		break;
	case 5:
		MPI_Waitany(1, request, index, MPI_STATUS_IGNORE);
		break;
	case 6:
		MPI_Waitsome(1, request, &count, index, MPI_STATUSES_IGNORE);
		break;
	case 7:
		while (!flag)
			MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
		break;
	}
}

struct completion {
	int way;
	MPI_Request *request;
};

static void *run(void *of)
{
	const struct completion *c = of;

	complete(c->way, c->request);
	return NULL;
}

static void finish(int way, MPI_Request *request)
{
	struct completion c = { way, request };
	pthread_t other;

	if (!threads) {
		complete(way, request);
		return;
	}
	pthread_create(&other, NULL, run, &c);
	pthread_join(other, NULL);
}

/* Matched first, then received. */
static void receive_matched(int tag)
{
	MPI_Request request;
	MPI_Message message;

	for (int i = 0; i < TIMES; i++) {
		MPI_Mprobe(0, tag, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
		MPI_Imrecv(buffers[0], SIZE, MPI_CHAR, &message, &request);
		finish(0, &request);
	}
	message = MPI_MESSAGE_NO_PROC;
	MPI_Imrecv(buffers[0], SIZE, MPI_CHAR, &message, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_group(int tag)
{
	MPI_Request group[GROUP];

	for (int i = 0; i < GROUP; i++)
		MPI_Irecv(buffers[i], SIZE, MPI_CHAR, 0, tag, MPI_COMM_WORLD,
			  &group[i]);
	MPI_Waitall(GROUP, group, MPI_STATUSES_IGNORE);
}

static void receive_all(void)
{
	MPI_Request request;

	for (int way = 0; way < WAYS - 1; way++)
		for (int i = 0; i < TIMES; i++) {
			receive(&request, way);
			finish(way, &request);
		}
	for (int i = 0; i < TIMES; i += GROUP)
		receive_group(WAYS - 1);
	MPI_Recv_init(buffers[0], SIZE, MPI_CHAR, 0, WAYS, MPI_COMM_WORLD,
		      &request);
	for (int i = 0; i < TIMES; i++) {
		MPI_Start(&request);
		finish(0, &request);
	}
	MPI_Request_free(&request);
	receive_matched(WAYS + 1);
	receive(&request, WAYS + 2); /* nobody sends it */
	MPI_Cancel(&request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	int rank, level;

	threads = argc > 1;
	MPI_Init_thread(&argc, &argv,
			threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
			&level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		receive_all();
	for (int i = 0; rank == 0 && i < (WAYS + 2) * TIMES; i++)
		MPI_Send("message", 8, MPI_CHAR, 1, i / TIMES, MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
