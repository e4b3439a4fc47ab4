/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * packed.h - numbers of seven bits a byte, the lowest first, the last byte
 * without the eighth bit.
 */
#pragma once

#include <stdint.h>

enum {
	PACKED_MOST = 10 /* bytes of one number */
};

/* Where the next one goes. */
static inline uint8_t *packed_put(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)number | 0x80;
	*to++ = (uint8_t)number;
	return to;
}

/* Where the next one is. */
static inline const uint8_t *packed_get(const uint8_t *from, uint64_t *number)
{
	unsigned int shift = 0;

	for (*number = 0; *from & 0x80; shift += 7)
		*number |= (uint64_t)(*from++ & 0x7f) << shift;
	*number |= (uint64_t)*from++ << shift;
	return from;
}
