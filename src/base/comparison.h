/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.h - functions for qsort(), written as the keys to sort by. */
#pragma once

#include <stdint.h>

/* Less than 0: `a` comes before `b`; 0: they are equal; more: after it. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* By a member of the elements, ascending and descending. */
#define ASC(member)  ORDER(a->member, b->member)
#define DESC(member) ORDER(b->member, a->member)

/*
 * The function `name` for qsort() and bsearch().  `keys` compares the elements
 * `a` and `b`: ASC(rank) ?: DESC(ns).  What stands first decides first.
 */
#define ORDER_BY(name, type, keys)                                             \
	static int name(const void *left, const void *right)                   \
	{                                                                      \
		const type *a = left, *b = right;                              \
		return keys;                                                   \
	}

/* The same for an array of pointers to elements. */
#define ORDER_POINTERS_BY(name, type, keys)                                    \
	static int name(const void *left, const void *right)                   \
	{                                                                      \
		const type *a = *(type *const *)left;                          \
		const type *b = *(type *const *)right;                         \
		return keys;                                                   \
	}

/*
 * The function `name` for qsort_r() of an array of uint32_t, each the number of
 * one of `rows`, an expression of the argument `of`; *i and *j are the numbers.
 */
#define ORDER_ROWS_BY(name, type, rows, keys)                                  \
	static int name(const void *left, const void *right, void *argument)   \
	{                                                                      \
		const type *of = argument;                                     \
		const uint32_t *i = left, *j = right;                          \
		const __typeof__(*(rows)) *a = (rows) + *i, *b = (rows) + *j;  \
		return keys;                                                   \
	}
