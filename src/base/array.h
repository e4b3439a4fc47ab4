/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * array.h - arrays that grow: a pointer, a count of elements, and the room,
 * which is the number of elements that fit.  An empty array is NULL, 0, 0.
 */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Make room for one element after `count` others; *room doubles when it is
 * used up.  Returns the array, which may have moved.  NULL with a reason when
 * out of memory; the old array is then still valid.
 */
void *array_grow(void *at, size_t count, size_t *room, size_t size);

/*
 * Append a copy of `row`.  `array` is the address of the pointer to the
 * elements, each of `size` bytes.  False with a reason when out of memory.
 */
bool array_append(void *array, size_t *count, size_t *room, size_t size,
		  const void *row);

#endif
