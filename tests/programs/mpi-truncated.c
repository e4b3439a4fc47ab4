/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-truncated.c - rank 0 sends rank 1 three messages, of which some are
 * longer than their buffers; rank 1 completes the receives in each way, with
 * statuses and without, and prints the errors that it is told and what becomes
 * of the requests.  All have come before they are received, so what a call
 * finds is no matter of time.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

enum {
	REQUESTS = 3,
	SIZE = 64,
	SHORT = 8,
	UNSET = -77
};

static char in[REQUESTS][SIZE], out[SIZE];
static MPI_Request requests[REQUESTS];
static MPI_Status statuses[REQUESTS];
static int indices[REQUESTS], count, flag;

static int class_of(int error)
{
	int class = UNSET;

	if (error >= 0)
		MPI_Error_class(error, &class);
	return class;
}

static void show(const char *call, int error, int n, bool wanted)
{
	printf("%s: %d, %d requests", call, class_of(error), n);
	for (int i = 0; i < n; i++)
		printf(" [%d]", indices[i]);
	for (int i = 0; wanted && i < n; i++)
		printf(" %d/%d/%d", class_of(statuses[i].MPI_ERROR),
		       statuses[i].MPI_SOURCE, statuses[i].MPI_TAG);
	printf(" flag %d\n", flag);
}

static void unset(void)
{
	for (int i = 0; i < REQUESTS; i++) {
		indices[i] = statuses[i].MPI_ERROR = UNSET;
		statuses[i].MPI_SOURCE = statuses[i].MPI_TAG = UNSET;
	}
	count = flag = UNSET;
}

/* What asks for one at a time is called once more than there are. */
static void one_by_one(const char *call, bool wanted)
{
	MPI_Status *status = wanted ? statuses : MPI_STATUS_IGNORE;
	int rc;

	for (int i = 0; i < REQUESTS; i++) {
		if (*call == 'w')
			rc = MPI_Wait(&requests[i], status);
		else
			rc = MPI_Test(&requests[i], &flag, status);
		show(call, rc, 1, wanted);
	}
}

static void any(const char *call, bool wanted)
{
	MPI_Status *status = wanted ? statuses : MPI_STATUS_IGNORE;
	int rc;

	for (int i = 0; i <= REQUESTS; i++) {
		if (*call == 'w')
			rc = MPI_Waitany(REQUESTS, requests, indices, status);
		else
			rc = MPI_Testany(REQUESTS, requests, indices, &flag,
					 status);
		show(call, rc, 1, wanted);
	}
}

static void some(const char *call, bool wanted)
{
	MPI_Status *list = wanted ? statuses : MPI_STATUSES_IGNORE;
	int rc;

	for (int i = 0; i < 2; i++) {
		if (*call == 'w')
			rc = MPI_Waitsome(REQUESTS, requests, &count, indices,
					  list);
		else
			rc = MPI_Testsome(REQUESTS, requests, &count, indices,
					  list);
		show(call, rc, count == MPI_UNDEFINED ? 0 : count, wanted);
	}
}

static void all(const char *call, bool wanted)
{
	MPI_Status *list = wanted ? statuses : MPI_STATUSES_IGNORE;
	int rc;

	if (*call == 'w')
		rc = MPI_Waitall(REQUESTS, requests, list);
	else
		rc = MPI_Testall(REQUESTS, requests, &flag, list);
	show(call, rc, REQUESTS, wanted);
}

static const struct way {
	const char *name;
	void (*complete)(const char *name, bool wanted);
} ways[] = {
	{ "wait", one_by_one }, { "test", one_by_one }, { "waitany", any },
	{ "testany", any },     { "waitsome", some },   { "testsome", some },
	{ "waitall", all },     { "testall", all },
};

/* `which` has a bit for each request whose buffer is too short. */
static void begin(bool persistent, unsigned int which)
{
	for (int i = 0; i < REQUESTS; i++) {
		int room = which >> i & 1 ? SHORT : SIZE;

		if (!persistent) {
			MPI_Irecv(in[i], room, MPI_CHAR, 0, i, MPI_COMM_WORLD,
				  &requests[i]);
			continue;
		}
		MPI_Recv_init(in[i], room, MPI_CHAR, 0, i, MPI_COMM_WORLD,
			      &requests[i]);
		MPI_Start(&requests[i]);
	}
}

/* Those that are left have not failed, or are persistent. */
static void end(void)
{
	for (int i = 0; i < REQUESTS; i++) {
		bool left = requests[i] != MPI_REQUEST_NULL;

		printf("request %d %s\n", i, left ? "left" : "null");
		if (!left)
			continue;
		unset();
		show("again", MPI_Wait(&requests[i], statuses), 1, true);
		if (requests[i] != MPI_REQUEST_NULL)
			MPI_Request_free(&requests[i]);
	}
}

static void receive(const struct way *way, bool wanted, bool persistent,
		    unsigned int which)
{
	printf("%s, statuses %d, persistent %d, short %u\n", way->name, wanted,
	       persistent, which);
	begin(persistent, which);
	unset();
	way->complete(way->name, wanted);
	end();
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (unsigned int i = 0; i < 8 * 2 * 2 * 4; i++) {
		for (int tag = 0; rank == 0 && tag < REQUESTS; tag++)
			MPI_Send(out, SIZE, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 1)
			receive(&ways[i % 8], i >> 3 & 1, i >> 4 & 1,
				(i >> 5 & 3) * 2 + 1);
	}
	MPI_Finalize();
	return 0;
}
