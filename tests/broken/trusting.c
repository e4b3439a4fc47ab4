/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trusting.c - a collector that stands in front of safe_read_copy(), and reads
 * what it was led to as if it could not go away: tests/run/paths.sh shows that
 * the program dies of it.
 */
#include <string.h>

#include "collect/unwind/safe-read.h"

__typeof__(safe_read_copy) __wrap_safe_read_copy;

bool __wrap_safe_read_copy(struct safe_read *p, void *to, uintptr_t at,
			   size_t size)
{
	(void)p;
	memcpy(to, (const void *)at, size);
	return true;
}
