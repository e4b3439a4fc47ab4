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
 * The pattern with each %LETTER of batch.def replaced; an unknown value becomes
 * "none".  For "", and in folders such as ".", to which no number can be added,
 * it is PROGRAM.copse, with the number of the task in a job array.  0; -EINVAL
 * with a reason when a letter has no meaning; or -ENOMEM.
 */
int output_name(char **to, const char *pattern, const char *program,
		const struct job *job);

#endif
