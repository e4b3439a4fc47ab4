/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output-name.h - what the directory of a job's profiles is called.
 *
 * Ownership   Names are the caller's, to be freed.
 */
#ifndef LAUNCH_OUTPUT_NAME_H
#define LAUNCH_OUTPUT_NAME_H

#include "base/batch.h"
#include "launch/job.h"

/*
 * What the user wrote, with the letters of batch.def behind a % replaced; one
 * of which nothing is known becomes "none".  -EINVAL with a reason when a
 * letter has no meaning.
 */
int output_name(char **to, const char *pattern, const struct batch *b);

/*
 * PROGRAM.copse, and in an array of jobs a name of the task's own: tasks run
 * at the same time, in any order.  NULL when out of memory.
 */
char *output_default(const char *program, const struct job *job);

#endif
