/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz-cubin.c - code of GPUs, which may be anything.  The corpus is such
 * files.
 */
#include <stdint.h>

#include "symbol/cubin-lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cubin_lines *lines = NULL;
	struct cubin_place place;

	if (!cubin_lines_open(&lines, data, size))
		for (uint32_t i = 0; i < 16; i++)
			cubin_lines_find(lines, i, "_Z5alphaPfi", 16 * i,
					 &place);
	cubin_lines_close(lines);
	return 0;
}
