/* SPDX-License-Identifier: BSD-3-Clause */
/* python-words.h - how functions of Python stand in sentences. */
#pragma once

#include "run/call-paths.h"

static inline bool python_owns(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_FUNCTION &&
	       (run->nodes[node].flags & RUN_PYTHON);
}

/* Python's own library, by its file; not what was installed beside it. */
bool python_is_library(const char *file);

/*
 * The function of Python that a path is said to be of: the nearest at or above
 * it that is in a file of the user's; in a program that was installed as a
 * package, and in a process that multiprocessing forked above functions of the
 * user's, the nearest of that.  0: Python did not call it.
 */
uint32_t python_caller(const struct paths *paths, uint32_t path);

/* A function, of Python or C, of a package that was installed. */
bool python_has_installed(const struct run *run, uint32_t node);

/*
 * What a function of Python called says nothing of its own: a wrapper in a
 * module that the interpreter loads, without a name or Cython's.
 */
bool python_is_wrapper(const struct paths *paths, uint32_t path);

/*
 * "train.py --epochs 3" of "/usr/bin/python3 -u /home/u/train.py --epochs 3",
 * "package" of "python3 -m package": where in a command line the program
 * begins.
 */
const char *python_program(const char *command);

/* Of a process that multiprocessing, or Jupyter, started for a program: it does
   not say which. */
bool python_is_worker(const char *command);
