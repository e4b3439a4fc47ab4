/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * std-names.h - templates of the C++ library as their programmer wrote them:
 * `std::_Rb_tree<int, std::pair<int const, float>, …>` is `map<int, float>`.
 * Arguments that nobody writes (allocators, comparisons) are left out.
 */
#pragma once

#include <stddef.h>

/*
 * "operator()", "operator<<", "operator->": bytes of an operator's name that
 * begins at `at` within `name`; 0: none does.
 */
size_t std_operator_size(const char *name, const char *at);

/* To be freed; NULL when out of memory. */
char *std_name(const char *name);
