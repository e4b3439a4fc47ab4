/* SPDX-License-Identifier: BSD-3-Clause */
/* comparison.h - which of two numbers comes first, as qsort() wants to know it.
 */
#ifndef BASE_COMPARISON_H
#define BASE_COMPARISON_H

/* Less than 0, 0 or more: `a` comes before `b`, is the same, comes after it. */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

#endif
