/* SPDX-License-Identifier: BSD-3-Clause */
/* array.c - see array.h. */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

void *array_grow(void *at, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;

	if (count < *room)
		return at;
	at = reallocarray(at, more, size);
	if (!at)
		no_memory();
	else
		*room = more;
	return at;
}

bool array_append(void *array, size_t *count, size_t *room, size_t size,
		  const void *row)
{
	char *at;

	memcpy(&at, array, sizeof(at));
	at = array_grow(at, *count, room, size);
	if (!at)
		return false;
	memcpy(array, &at, sizeof(at));
	memcpy(at + *count * size, row, size);
	++*count;
	return true;
}
