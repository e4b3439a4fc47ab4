/* SPDX-License-Identifier: BSD-3-Clause */
/* python-words.h - how functions of Python stand in sentences. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "run/call-paths.h"
#include "run/run.h"

static inline bool python_owns(const struct run *run, uint32_t node)
{
	return run->nodes[node].kind == RUN_FUNCTION &&
	       (run->nodes[node].flags & RUN_PYTHON);
}

/* Python's own library, by its file; not what was installed beside it. */
bool python_is_library(const char *file);
bool python_in_library(const struct run *run, uint32_t node);

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

/*
 * packages.c: packages of Python: what was installed or came with the
 * interpreter, known by the files that functions are in.
 */

/* "/opt/venv/lib/python3.12/site-packages/numpy/core/multiarray.py" */
struct package {
	const char *file;
	size_t size;      /* bytes of it, up to the end of the name */
	const char *name; /* "numpy", and its length: */
	size_t length;
	bool is_library; /* Python's own */
};

/* False: the file is of no package. */
bool package_of(struct package *to, const char *file);

/*
 * Make what a package does one function, "[numpy]", on each call path: all of
 * its functions that are called by one another, and what they import.
 * Functions of Python and of the C modules among its files.  What it calls
 * elsewhere stands below it.  0, or -ENOMEM with a reason.
 */
int packages_collapse(struct run *run);
