/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-factors.h - the efficiency of ranks together with that of their
 * threads, from the stamps of parallel regions.
 *
 * Both factors are of the threads' time outside MPI, which is that of the first
 * threads, as often as regions have threads.
 */
#pragma once

#include "analyse/mpi/efficiency.h"
#include "analyse/base/report.h"
#include "run/run.h"

struct thread_factors {
	double threads; /* of regions, by their time; 0: there were none */
	double inside;  /* of the time outside MPI, in regions */
	double serial;  /* what Amdahl's law leaves, with one thread outside */
	double regions; /* without waiting in regions */
	double all;     /* their product */
};

struct thread_factors thread_factors_of(const struct run *run,
					const struct efficiency *e);

/* Nothing, without regions. */
void thread_factors_line(struct report *report, const struct thread_factors *f);
void thread_factors_table(struct report *report,
			  const struct thread_factors *f);
