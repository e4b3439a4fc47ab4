/* SPDX-License-Identifier: BSD-3-Clause */
/* program-name.h - what a profile is called after, from its command line. */
#ifndef LAUNCH_PROGRAM_NAME_H
#define LAUNCH_PROGRAM_NAME_H

/*
 * The last part of the program's path; of an interpreter that of its script or
 * the name of its module, of a wrapper (env, taskset, mpirun ...) what it runs.
 * A word of `argv`, or a part of one.
 */
const char *program_name(char *const argv[]);

#endif
