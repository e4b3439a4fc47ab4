/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-steps.h - the steps of a program that uses GPUs: ranges that it marks,
 * its iterations, or what calls of CUDA tell.
 */
#pragma once

#include "run/run.h"

/* How steps are known. */
enum host_steps_source {
	HOST_STEPS_NONE,
	HOST_STEPS_RANGES,     /* NVTX, phases: the program says so */
	HOST_STEPS_ITERATIONS, /* run->iterations */
	HOST_STEPS_CALLS,      /* calls of CUDA that are made as often */
};

struct host_steps {
	enum host_steps_source source;
	const char *name;     /* of the range, or NULL */
	double count;         /* of a process; 0: not known */
	double seconds, work; /* of one, elapsed and with work for a GPU; 0: of
				 HOST_STEPS_CALLS, which do not tell */
};

/*
 * Of so many processes, whose GPUs had their first and last work so many
 * seconds apart, each.  0, or -ENOMEM with a reason.
 */
int host_steps_of(struct host_steps *to, const struct run *run,
		  double processes, double seconds);
