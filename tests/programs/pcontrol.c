/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pcontrol.c - MPI_Pcontrol beside copse_pause(): barriers are called in
 * groups of different size, so that their number tells which were counted.
 *
 *   1 + 10 + 100 + 1000     Pcontrol is on and nobody has paused
 *   2                       not at first, with --from-start=off
 *   5 each                  never
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>

#include "known.h"

static void (*stop)(void), (*go)(void);

static void barriers(int count)
{
	while (count--)
		MPI_Barrier(MPI_COMM_WORLD);
}

static void nothing(void)
{
}

static void *find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	return found ? found : (void *)nothing;
}

int main(int argc, char **argv)
{
	stop = (void (*)(void))find("copse_pause");
	go = (void (*)(void))find("copse_resume");
	MPI_Init(&argc, &argv);
	barriers(2);
	MPI_Pcontrol(1);
	barriers(1);
	MPI_Pcontrol(0);
	MPI_Pcontrol(0);
	barriers(5);
	MPI_Pcontrol(2); /* flush: no word about on or off */
	MPI_Pcontrol(7);
	barriers(5);
	MPI_Pcontrol(1); /* a state: once is enough */
	barriers(10);
	stop();
	MPI_Pcontrol(1); /* does not end another's pause */
	barriers(5);
	MPI_Pcontrol(0);
	go(); /* nor the other way round */
	barriers(5);
	MPI_Pcontrol(1);
	barriers(100);
	MPI_Pcontrol(2);
	MPI_Pcontrol(-1);
	barriers(1000);
	MPI_Finalize();
	return 0;
}
