/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packages.h - packages of Python: what was installed or came with the
 * interpreter, known by the files that functions are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "run/run.h"

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
