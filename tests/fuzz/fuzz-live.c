/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz-live.c - raw copies of live profiles, as a program that wrote over them
 * or somebody else may have left them.  The corpus is such files.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long, so that reading past its end is seen. */
	char *copy = malloc(size + !size);
	struct profile *p = NULL;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (!profile_from_live(&p, copy, size))
		exercise_profile(p, exercise_choice(data, size));
	free(copy);
	return 0;
}
