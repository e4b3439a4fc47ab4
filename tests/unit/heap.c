/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.c - unit tests of sampled allocations: chances, and what grows. */
#include <math.h>

#include "collect/heap/heap-chance.h"
#include "profile/live/live-reader.h"
#include "tests/lib/test.h"

TEST(chances_are_those_of_the_mathematical_library)
{
	for (double x = 1e-9; x < 100; x *= 1.1)
		CHECK(fabs(chance_some(x) / -expm1(-x) - 1) < 1e-12);
	for (double u = 1e-16; u <= 1; u *= 1.05)
		CHECK(fabs(chance_exponential(u) + log(u)) <
		      1e-12 * (1 - log(u)));
	CHECK(chance_exponential(1) == 0);
}

/* Mean and variance of an exponential number are 1. */
TEST(draws_are_exponential)
{
	uint64_t lot = 12345;
	double sum = 0, squares = 0, most = 0;
	const int all = 1000000;

	for (int i = 0; i < all; i++) {
		double x = chance_exponential(chance_number(&lot));

		sum += x;
		squares += x * x;
		most = fmax(most, x);
	}
	CHECK(fabs(sum / all - 1) < 0.005);
	CHECK(fabs(squares / all - 2) < 0.03);
	CHECK(most > 9 && most < 40);
}

/* What was sampled stands for all: no bias, whatever the sizes. */
TEST(weights_have_no_bias)
{
	const double interval = 65536;
	uint64_t lot = 99;
	double left = interval * chance_exponential(chance_number(&lot));
	double is = 0, estimate = 0, variance = 0;

	for (int i = 0; i < 3000000; i++) {
		double bytes = i % 1000 ? 40 + i % 100 : 300000;
		double p = chance_some(bytes / interval);

		is += bytes;
		if (bytes < left) {
			left -= bytes;
			continue;
		}
		left = interval * chance_exponential(chance_number(&lot));
		estimate += bytes / p;
		variance += (1 - p) * bytes * bytes / p / p;
	}
	CHECK(fabs(estimate - is) < 3 * sqrt(variance));
	CHECK(sqrt(variance) < 0.02 * is);
}

TEST(growth_is_steady)
{
	const double line[] = { 0, 9, 10, 20, 30, 40, 50, 60, 70, 80 };
	const double once[] = { 0, 0, 0, 0, 0, 0, 90, 90, 90, 90 };
	const double late[] = { 0, 0, 0, 0, 0, 0, 0, 90, 90, 90 };
	const double held[] = { 50, 50, 50, 50, 50, 50, 50, 50, 50, 50 };
	const double ends[] = { 90, 80, 70, 60, 50, 40, 30, 20, 10, 0 };

	CHECK(fabs(reader_growth(line, 10) - 10) < 1e-9);
	CHECK(reader_growth(once, 10) == 0);
	CHECK(reader_growth(late, 10) == 0);
	CHECK(reader_growth(held, 10) == 0);
	CHECK(reader_growth(ends, 10) == 0);
	CHECK(reader_growth(line, 4) == 0);
}
