/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h - arrays that grow: a pointer, a count, and the room that there is.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room for one more behind `count` elements, doubling *room: the array, which
 * may have moved, or NULL with a reason (the old one is still good).
 */
void *array_grow(void *at, size_t count, size_t *room, size_t size);

/*
 * A copy of `row` behind the others of *array, which is a pointer to elements
 * of that size; false with a reason when out of memory.
 */
bool array_append(void *array, size_t *count, size_t *room, size_t size,
		  const void *row);

#endif
