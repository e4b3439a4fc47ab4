/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-wrappers.c - every rank exchanges small messages while a thread of its
 * own sends it SIGUSR1 all the time.
 */
#include <mpi.h>
#include <signal.h>

#include "storm.h"

static pthread_t target;
static volatile unsigned long received;
static volatile bool over;

static KEPT void on_user(int signum)
{
	(void)signum;
	received++;
}

static void *sender(void *unused)
{
	while (!over) {
		unsigned long before = received;

		pthread_kill(target, SIGUSR1);
		while (received == before && !over)
			sched_yield();
	}
	return unused;
}

/* Rank 0 tells when the time is over. */
static void storm(int rank, int size)
{
	int on = 1, sent = rank, got, sum;

	while (on) {
		for (int i = 0; i < 50; i++) {
			MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 0,
				     &got, 1, MPI_INT, (rank + size - 1) % size,
				     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			if (got != (rank + size - 1) % size)
				storm_broken("MPI_Sendrecv");
		}
		MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		if (sum != size * (size - 1) / 2)
			storm_broken("MPI_Allreduce");
		on = storm_lasts();
		MPI_Bcast(&on, 1, MPI_INT, 0, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_user,
				    .sa_flags = SA_RESTART };
	int rank, size, provided;
	pthread_t thread;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	storm_begins(argc, argv);
	target = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&thread, NULL, sender, NULL))
		return 1;
	storm(rank, size);
	over = true;
	pthread_join(thread, NULL);
	MPI_Finalize();
	if (!rank)
		puts("through");
	return 0;
}
