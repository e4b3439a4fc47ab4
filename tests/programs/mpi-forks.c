/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-forks.c - a forked child goes on with its parent's MPI, as far as a
 * message to itself goes: communicator, partner and requests are the parent's.
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static double out = 1, in, late;

static void send_to_self(void)
{
	MPI_Barrier(MPI_COMM_SELF);
	MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, 0, &in, 1, MPI_DOUBLE, 0, 0,
		     MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

/* The receive was begun before the fork. */
static void complete(MPI_Request *begun)
{
	MPI_Request both[2] = { *begun };
	MPI_Status statuses[2];

	MPI_Isend(&out, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &both[1]);
	MPI_Waitall(2, both, statuses);
}

int main(int argc, char **argv)
{
	MPI_Request begun;
	pid_t child;
	int status;

	MPI_Init(&argc, &argv);
	send_to_self();
	MPI_Irecv(&late, 1, MPI_DOUBLE, 0, 1, MPI_COMM_SELF, &begun);
	child = fork();
	if (child == 0) {
		send_to_self();
		complete(&begun);
		_exit(in + late == 2 ? 7 : 1);
	}
	waitpid(child, &status, 0);
	if (WIFSIGNALED(status))
		printf("the child died of signal %d\n", WTERMSIG(status));
	else
		printf("the child ended with %d\n", WEXITSTATUS(status));
	complete(&begun);
	MPI_Finalize();
	return 0;
}
