/* SPDX-License-Identifier: BSD-3-Clause */
/* brief.h - names of functions as sentences have them. */
#pragma once

#include <stddef.h>

/*
 * A demangled name without the arguments of functions.  One that is longer than
 * a sentence can bear loses the template arguments of what it is in, then what
 * is in its middle.  To be freed; NULL when out of memory.
 */
char *brief_name(const char *name);

/*
 * What is left of a brief name beside that of a caller or a callee: not their
 * common namespace, unless it is all that is before the function.
 */
const char *brief_beside(const char *name, const char *other);

/*
 * The same as brief_name() of a function of the C library, as its callers know
 * it: "exp" of "__exp_fma", "memcpy" of "__memcpy_avx_unaligned_erms".
 */
char *brief_c_name(const char *name);

/*
 * std-names.c: templates of the C++ library as their programmer wrote them:
 * `std::_Rb_tree<int, std::pair<int const, float>, …>` is `map<int, float>`.
 * Arguments that nobody writes (allocators, comparisons) are left out.
 */

/*
 * "operator()", "operator<<", "operator->": bytes of an operator's name that
 * begins at `at` within `name`; 0: none does.
 */
size_t std_operator_size(const char *name, const char *at);

/* To be freed; NULL when out of memory. */
char *std_name(const char *name);
