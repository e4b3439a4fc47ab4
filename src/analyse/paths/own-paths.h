/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own-paths.h - the program's own functions, which a person knows, instead of
 * those of libraries that everything uses: the mathematical ones, memory,
 * formatted output, templates of the C++ library.
 */
#pragma once

#include "run/call-paths.h"

/* Of the program, or of what a person calls by its name, as BLAS. */
bool paths_is_own(const struct run *run, uint32_t node);

/*
 * Within a library for files of a format, as HDF5, and not what the program
 * calls there: that says more than how the library is made.
 */
bool paths_within_format(const struct paths *paths, uint32_t path);

/*
 * The nearest path at or above this one whose function is the program's own, an
 * MPI function or a call of CUDA.  This one where there is none, or where the
 * interpreter of Python is met first.  What packages do that Python imports is
 * of the user's function that calls them.
 */
uint32_t paths_own(const struct paths *paths, uint32_t path);

/*
 * What a path of the program's calls of such libraries, when one function has
 * more than half of `total`: its path; 0: none has, or that looks at a clock.
 * exclusive[]: the values of paths.
 */
uint32_t paths_mostly(const struct paths *paths, uint32_t path,
		      const double *exclusive, double total);

/* The function is in the C library or its mathematical part. */
bool paths_in_c_or_math(const struct run *run, uint32_t node);
