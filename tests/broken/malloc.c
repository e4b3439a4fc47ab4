/* SPDX-License-Identifier: BSD-3-Clause */
/* malloc.c - a handler that allocates. */
#include <stdlib.h>

#include "broken.h"

void do_wrong(void)
{
	/* More than a thread keeps for itself without a lock. */
	void *volatile memory = malloc(3000);

	free(memory);
}
