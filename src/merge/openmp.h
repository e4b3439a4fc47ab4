/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * openmp.h - which code is the OpenMP runtime's own: what was sampled in a
 * runtime, or in the C library that it called, below no function of somebody
 * else since.  There threads wait for others or look for work; what they do for
 * the program is below a function of the program again.
 */
#pragma once

#include <stdint.h>

#include "run/run.h"
#include "profile/profile.h"

/* What reports call it, and in threads that wait for the next region. */
#define OPENMP_WAITING "[OpenMP waiting]"
#define OPENMP_IDLE    "[OpenMP idle]"

enum openmp_code {
	OPENMP_OTHER,   /* the program's, or of a library that does its work */
	OPENMP_RUNTIME, /* libgomp, libomp, libiomp5 */
	OPENMP_SYSTEM   /* the C library: whose it is depends on the caller */
};

/* Of a module, by its path. */
enum openmp_code openmp_code(const char *path);

/*
 * A node's outermost frame of the runtime with nothing of others in between,
 * from that of its parent; 0: it is not the runtime's.
 */
uint32_t openmp_frame(enum openmp_code code, uint32_t node, uint32_t of_parent);

/* A process's times; 0, or -ENOMEM with a reason. */
int openmp_times(struct openmp *to, const struct profile *p);
