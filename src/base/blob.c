/* SPDX-License-Identifier: BSD-3-Clause */
/* blob.c - bytes that grow. */
#include <stdlib.h>

#include "base/blob.h"
#include "base/err.h"

void blob_fini(struct blob *b)
{
	free(b->at);
	*b = (struct blob){ 0 };
}

void blob_clear(struct blob *b)
{
	b->size = 0;
	b->exhausted = false;
}

int blob_error(const struct blob *b)
{
	return b->exhausted ? no_memory() : 0;
}

uint8_t *blob_reach(struct blob *b, size_t most)
{
	if (b->exhausted)
		return NULL;
	if (!b->at || b->room - b->size < most) {
		size_t room = b->room + b->room / 2 + most + 1024;
		char *at = realloc(b->at, room);

		b->exhausted = !at;
		if (!at)
			return NULL;
		b->at = at;
		b->room = room;
	}
	return (uint8_t *)b->at + b->size;
}
