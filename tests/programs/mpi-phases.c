/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-phases.c - phases whose efficiency is known, in time and not in CPU
 * time, so that ranks may share cores: computing is sleeping here.
 *
 * In the phase `step` rank r sleeps 0.1 s in `even`, then (r + 1) * 0.1 s in
 * `skewed`; both end in an MPI_Barrier.  On n ranks the load balance is 1 in
 * `even`, (n + 1) / 2n in `skewed` and (n + 3) / 2(n + 1) in `step`, and the
 * communication efficiency nearly 1.  Last, in `files`, each rank writes a file
 * with MPI.  Runs without copse too.
 *
 * Who gets no core when it wakes up has slept for longer: each rank prints how
 * long it was in `even`, `skewed` and both (`useful`) outside of MPI, in these
 * phases with MPI (`all_…`), in MPI_Barrier, with the file, in MPI_Finalize
 * (`ending`) and in main().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

#define STEPS 4
#define BYTES (1 << 20)

static void no_phase(const char *name)
{
	(void)name;
}

static KEPT double compute(double seconds)
{
	double begun = elapsed_seconds();
	struct timespec end;
	long ns;

	clock_gettime(CLOCK_MONOTONIC, &end);
	ns = end.tv_nsec + (long)(seconds * 1e9);
	end.tv_sec += ns / 1000000000;
	end.tv_nsec = ns % 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL))
		;
	return elapsed_seconds() - begun;
}

/* How long it was in there. */
static double barrier(void)
{
	double begun = elapsed_seconds();

	MPI_Barrier(MPI_COMM_WORLD);
	return elapsed_seconds() - begun;
}

/* Adds the time of computing and the barrier behind it. */
static void step(double seconds, double *useful, double *all)
{
	double computed = compute(seconds);

	*useful += computed;
	*all += computed + barrier();
}

static KEPT void write_file(const char *data)
{
	char name[] = "/tmp/mpi-phases.XXXXXX";
	int fd = mkstemp(name);
	MPI_File file;

	if (fd < 0)
		return;
	close(fd);
	MPI_File_open(MPI_COMM_SELF, name,
		      MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &file);
	MPI_File_write(file, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
	MPI_File_close(&file);
}

int main(int argc, char **argv)
{
	void (*begin)(const char *), (*end)(const char *);
	double begun = elapsed_seconds(), first, files, ending;
	double even = 0, skewed = 0, all_even = 0, all_skewed = 0;
	char *data = calloc(BYTES, 1);
	int rank;

	begin = (void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_begin");
	end = (void (*)(const char *))dlsym(RTLD_DEFAULT, "copse_end");
	begin = begin ? begin : no_phase;
	end = end ? end : no_phase;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	first = barrier();
	for (int i = 0; i < STEPS; i++) {
		begin("step");
		begin("even");
		step(0.1 / STEPS, &even, &all_even);
		end("even");
		begin("skewed");
		step((rank + 1) * 0.1 / STEPS, &skewed, &all_skewed);
		end("skewed");
		end("step");
	}
	files = elapsed_seconds();
	begin("files");
	write_file(data);
	end("files");
	files = elapsed_seconds() - files;
	begin("open"); /* does not end */
	ending = elapsed_seconds();
	MPI_Finalize();
	ending = elapsed_seconds() - ending;
	truth_of_rank("even", rank, even);
	truth_of_rank("skewed", rank, skewed);
	truth_of_rank("useful", rank, even + skewed);
	truth_of_rank("all_even", rank, all_even);
	truth_of_rank("all_skewed", rank, all_skewed);
	truth_of_rank("all_useful", rank, all_even + all_skewed);
	truth_of_rank("barrier", rank,
		      first + all_even + all_skewed - even - skewed);
	truth_of_rank("ending", rank, ending);
	truth_of_rank("main", rank, elapsed_seconds() - begun);
	truth_of_rank("files", rank, files);
	free(data);
	return 0;
}
