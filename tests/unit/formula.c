/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analyse/base/formula.h"
#include "base/err.h"
#include "tests/lib/test.h"

static bool look_up(const void *from, const char *word, size_t length,
		    double *value)
{
	*value = *(const double *)from;
	return length == 3 && !strncmp(word, "two", length);
}

static double value(const char *text)
{
	const double two = 2;
	double is = -1;

	CHECK(!formula_value(&is, text, look_up, &two));
	return is;
}

static bool refused(const char *text)
{
	const double two = 2;
	double is;

	return formula_value(&is, text, look_up, &two) == -EINVAL &&
	       strstr(fail_reason(), "not understood");
}

TEST(formula_keeps_the_order_of_arithmetic)
{
	CHECK(value("1 + 2 * 3"), ==, 7);
	CHECK(value("(1+2)*3"), ==, 9);
	CHECK(value("8 - 2 - 1"), ==, 5);
	CHECK(value("8 / two / 2"), ==, 2);
	CHECK(value("-two * 1e3 + 0.5"), ==, -1999.5);
	CHECK(value(" two "), ==, 2);
}

TEST(formula_divided_by_zero_is_no_number)
{
	CHECK(!isfinite(value("1 / (two - 2)")));
	CHECK(!isfinite(value("(two - two) / 0")));
}

TEST(formula_that_is_none_is_refused)
{
	char deep[400];

	CHECK(refused(""));
	CHECK(refused("two +"));
	CHECK(refused("two two"));
	CHECK(refused("(two"));
	CHECK(refused("two)"));
	CHECK(refused("three"));
	CHECK(refused("twofold"));
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	CHECK(refused(deep));
}
