/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exchange.c [SECONDS] - who sends how much to whom is known: rank r begins
 * r + 1 messages of 1000 bytes to the next rank, and receives those of the one
 * before; it computes for SECONDS (0.1 when not given) before it waits for all
 * of them.  Then halves of the ranks, each a communicator named `half`, get 64
 * bytes from their rank 1, three times.
 *
 * So of the time that each request is open nearly all is outside MPI.  Each
 * rank prints for how long its requests of both kinds were open, all together,
 * and for how long it computed meanwhile.
 */
#include <mpi.h>

#include "known.h"

#define MOST  16
#define BYTES 1000

static char out[MOST][BYTES], in[MOST][BYTES];

static KEPT void exchange(int rank, int size, double seconds)
{
	int right = (rank + 1) % size, left = (rank + size - 1) % size;
	MPI_Request requests[2 * MOST];
	double received = 0, sent = 0, computed, end;
	int count = 0;

	for (int i = 0; i <= left; i++) {
		received -= elapsed_seconds();
		MPI_Irecv(in[i], BYTES, MPI_CHAR, left, i, MPI_COMM_WORLD,
			  &requests[count++]);
	}
	for (int i = 0; i <= rank; i++) {
		sent -= elapsed_seconds();
		MPI_Isend(out[i], BYTES, MPI_CHAR, right, i, MPI_COMM_WORLD,
			  &requests[count++]);
	}
	computed = elapsed_seconds();
	while (elapsed_seconds() - computed < seconds)
		known_work();
	computed = elapsed_seconds() - computed;
	MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
	end = elapsed_seconds();
	truth_of_rank("received", rank, received + (left + 1) * end);
	truth_of_rank("sent", rank, sent + (rank + 1) * end);
	truth_of_rank("receiving", rank, (left + 1) * computed);
	truth_of_rank("sending", rank, (rank + 1) * computed);
}

static KEPT void halves(int rank, int size)
{
	char word[64] = "";
	MPI_Comm half;

	MPI_Comm_split(MPI_COMM_WORLD, rank >= size / 2, rank, &half);
	MPI_Comm_set_name(half, "half");
	for (int i = 0; i < 3; i++)
		MPI_Bcast(word, sizeof(word), MPI_CHAR, 1, half);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 0.1);
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size > MOST)
		MPI_Abort(MPI_COMM_WORLD, 2);
	exchange(rank, size, seconds);
	halves(rank, size);
	MPI_Finalize();
	return 0;
}
