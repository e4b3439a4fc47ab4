/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * formula.h - the value of "misses / (instructions / 1000)": numbers, words,
 * + - * / and parentheses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The value of a word; false: there is no such word. */
typedef bool formula_lookup(const void *from, const char *word, size_t length,
			    double *value);

/*
 * 0 and the value, which is not finite where something was divided by 0;
 * -EINVAL with a reason that names the place.
 */
int formula_value(double *to, const char *text, formula_lookup *lookup,
		  const void *from);
