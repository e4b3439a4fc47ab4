/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * array.h - arrays that grow: a pointer, a count of elements, and the room,
 * which is the number of elements that fit.  An empty array is NULL, 0, 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

/*
 * Make room for one element after `count` others; *room doubles when it is
 * used up.  Returns the array, which may have moved.  NULL with a reason when
 * out of memory; the old array is then still valid.
 */
void *array_grow(void *at, size_t count, size_t *room, size_t size);

/* The same for `array` itself, an array of any type; false: out of memory. */
#define ARRAY_GROW(array, count, room)                                         \
	ARRAY_SET(array,                                                       \
		  array_grow((array), (count), &(room), sizeof(*(array))))

/* Make `array` one of `count` elements; false: out of memory, it is as before.
 */
#define ARRAY_RESIZE(array, count)                                             \
	ARRAY_SET(array, reallocarray((array), (count), sizeof(*(array))))

#define ARRAY_SET(array, moved)                                                \
	({                                                                     \
		void *moved_ = moved;                                          \
		if (moved_)                                                    \
			(array) = moved_;                                      \
		moved_ != NULL;                                                \
	})

/*
 * Append a copy of `row`.  `array` is the address of the pointer to the
 * elements, each of `size` bytes.  False with a reason when out of memory.
 */
bool array_append(void *array, size_t *count, size_t *room, size_t size,
		  const void *row);
