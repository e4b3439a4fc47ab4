/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.h - compares two numbers for qsort(). */
#ifndef BASE_COMPARISON_H
#define BASE_COMPARISON_H

/* Less than 0: `a` comes before `b`; 0: they are equal; more: after it. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
