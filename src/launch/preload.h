/* SPDX-License-Identifier: BSD-3-Clause */
/* preload.h - the collector's libraries, and the environment that loads them.
 */
#ifndef LAUNCH_PRELOAD_H
#define LAUNCH_PRELOAD_H

#include <limits.h>

#include "base/settings.h"

/*
 * Where a library of ours is ("libcopse.so"): beside the command in the build
 * tree, below it in an installation.  0; -ENOENT with a reason.
 */
int preload_find(const char *name, char to[PATH_MAX]);

/*
 * What the measured program's LD_PRELOAD has to be: the collector, the
 * adapter for that MPI (NULL: none; PRELOAD_ANY: those of all MPIs, of which
 * the right one works), then the user's own.  Freed by the caller; NULL with
 * a reason when it cannot be made.
 */
#define PRELOAD_ANY "any"

char *preload_value(const char *mpi);

/* The user's own CUDA_INJECTION64_PATH, which is kept; NULL: none. */
const char *preload_other_gpu_tool(void);

/*
 * Put the settings, the live directory, `preload` and the library for the CUDA
 * driver into the environment.
 */
int preload_set(const struct settings *s, const char *live_dir,
		const char *preload);

#endif
