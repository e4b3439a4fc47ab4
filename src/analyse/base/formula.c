/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.c - a formula is read from left to right, once for each value. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/formula.h"
#include "base/err.h"

enum {
	DEEPEST = 32 /* of parentheses and signs */
};

struct formula {
	const char *at;
	formula_lookup *lookup;
	const void *from;
	unsigned int depth;
	bool wrong;
};

static double sum_value(struct formula *f);

static char next_character(struct formula *f)
{
	while (isspace((unsigned char)*f->at))
		f->at++;
	return *f->at;
}

static double word_value(struct formula *f)
{
	size_t length = 0;
	double value = 0;

	while (isalnum((unsigned char)f->at[length]) || f->at[length] == '_')
		length++;
	if (!length || !f->lookup(f->from, f->at, length, &value))
		f->wrong = true;
	else
		f->at += length;
	return value;
}

static double number_value(struct formula *f)
{
	char *end;
	double value = strtod(f->at, &end);

	f->at = end;
	return value;
}

static double bracketed_value(struct formula *f)
{
	double value;

	f->at++;
	value = sum_value(f);
	if (f->wrong)
		return 0;
	if (next_character(f) == ')')
		f->at++;
	else
		f->wrong = true;
	return value;
}

static double factor_value(struct formula *f)
{
	double value;
	char c = next_character(f);

	if (f->wrong || f->depth == DEEPEST) {
		f->wrong = true;
		return 0;
	}
	f->depth++;
	if (c == '(') {
		value = bracketed_value(f);
	} else if (c == '-') {
		f->at++;
		value = -factor_value(f);
	} else if (isdigit((unsigned char)c)) {
		value = number_value(f);
	} else {
		value = word_value(f);
	}
	f->depth--;
	return value;
}

static double product_value(struct formula *f)
{
	double value = factor_value(f);
	char c;

	while (!f->wrong && ((c = next_character(f)) == '*' || c == '/')) {
		f->at++;
		if (c == '*')
			value *= factor_value(f);
		else
			value /= factor_value(f);
	}
	return value;
}

static double sum_value(struct formula *f)
{
	double value = product_value(f);
	char c;

	while (!f->wrong && ((c = next_character(f)) == '+' || c == '-')) {
		f->at++;
		if (c == '+')
			value += product_value(f);
		else
			value -= product_value(f);
	}
	return value;
}

int formula_value(double *to, const char *text, formula_lookup *lookup,
		  const void *from)
{
	struct formula f = { .at = text, .lookup = lookup, .from = from };

	*to = sum_value(&f);
	if (!f.wrong && !next_character(&f))
		return 0;
	return fail(-EINVAL, "the formula '%s' is not understood at '%s'", text,
		    f.at);
}
