/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz-node.c - the file of a host, whose records and rank files may be
 * anything.  The corpus is such files.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "merge/inputs.h"
#include "tests/fuzz/exercise.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *path = str_format("%s/node-a.h5", exercise_directory());
	struct inputs inputs = { 0 };

	if (!path)
		return 0;
	put(path, data, size);
	if (!inputs_of_file(&inputs, path))
		for (size_t i = 0; i < inputs.count; i++) {
			struct profile *p = NULL;

			if (!input_load(&inputs.at[i], path, &p))
				exercise_profile(p,
						 exercise_choice(data, size));
		}
	inputs_fini(&inputs);
	unlink(path);
	free(path);
	return 0;
}
