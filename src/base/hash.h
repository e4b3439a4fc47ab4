/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h - the hash that numbers instances alike on all ranks. */
#pragma once

#include <stdint.h>

/* Mixed as in splitmix64 (Steele, Lea, Flood: OOPSLA 2014), two steps of it. */
static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	a ^= b * 0x9e3779b97f4a7c15u;
	a = (a ^ a >> 30) * 0xbf58476d1ce4e5b9u;
	a = (a ^ a >> 27) * 0x94d049bb133111ebu;
	return a ^ a >> 31;
}
