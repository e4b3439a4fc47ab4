/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the program to be measured, before it runs. */
#pragma once

#include <limits.h>

struct program {
	char path[PATH_MAX];
	const char *refused; /* why it cannot be measured, or NULL */
};

/*
 * Find `name` as execvp() does.  0; -ENOENT or -EACCES with a reason when a
 * shell would exit with 127 or 126.
 */
int program_find(struct program *p, const char *name);

/*
 * The MPI that the program is linked with, as the word in the name of its
 * adapter ("openmpi"), or NULL.  Runs the program's own loader to find out.
 */
const char *program_mpi(const struct program *p);

/*
 * The same of an allocator that is linked or preloaded, and has C++'s operators
 * of its own; NULL: the operators call malloc().
 */
const char *program_allocator(const struct program *p);

/* What a profile is called after, from its command line. */

/*
 * The last part of the program's path; of an interpreter that of its script or
 * the name of its module, of a wrapper (env, taskset, mpirun ...) what it runs.
 * A word of `argv`, or a part of one.
 */
const char *program_name(char *const argv[]);
