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
 * of which nothing is known becomes "none".  For "", and in "." and its like,
 * which no number can be put to, PROGRAM.copse, with the task's number in an
 * array of jobs.  0; -EINVAL with a reason when a letter has no meaning; or
 * -ENOMEM.
 */
int output_name(char **to, const char *pattern, const char *program,
		const struct job *job);

#endif
