/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.h - the collector's libraries, and the environment that loads them.
 */
#pragma once

#include <limits.h>

#include "base/settings.h"

/*
 * The path of a library of copse ("libcopse.so"): in the build tree or in the
 * installation.  0, or -ENOENT with a reason.
 */
int preload_find(const char *name, char to[PATH_MAX]);

/* The user's own CUDA_INJECTION64_PATH, which is kept; NULL: none. */
const char *preload_other_gpu_tool(void);

/*
 * Put the settings, the live directory and what loads our libraries into the
 * environment: for the loader the collector, the adapter for `mpi`, that for
 * OpenMP when it is wanted, then the user's own; and the library for the CUDA
 * driver.  `mpi` NULL: no adapter; PRELOAD_ANY: all adapters, of which only the
 * right one does anything.  operators: those of C++ do not call malloc().  0,
 * or -errno with a reason.
 */
#define PRELOAD_ANY "any"

int preload_set(const struct settings *s, const char *live_dir, const char *mpi,
		bool operators);
