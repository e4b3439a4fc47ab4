/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interpreter.h - paths through the interpreter of Python, whose frames say
 * nothing of the program: what it called does, and what called it.
 */
#pragma once

#include <stdbool.h>

#include "run/call-paths.h"

/* How all of its frames are called together. */
#define INTERPRETER "[Python]"

/* Is it a function of the interpreter's own, by its module? */
bool interpreter_owns(const struct run *run, uint32_t node);

/* A function without a name of a module that the interpreter loads. */
bool interpreter_is_unnamed(const struct run *run, uint32_t node);

/*
 * That module as a script imports it, "mpi4py.MPI", "numpy.linalg": not what
 * that imports, "_umath_linalg".  To be freed, NULL when out of memory.
 */
char *interpreter_module(const struct run *run, uint32_t node);

/*
 * Of the values at and below a path, the function that the interpreter called
 * for the most of them, wherever it did: the outermost one that is not its own.
 * One of its paths, and the sum; 0: the interpreter called none.  -ENOMEM.
 */
int interpreter_called(const struct paths *paths, uint32_t path,
		       const double *exclusive, uint32_t *called, double *sum);
