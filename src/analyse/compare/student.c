/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * student.c - by the incomplete beta function, whose continued fraction is
 * evaluated as Lentz (Appl. Opt. 15, 1976) does; NIST DLMF 8.17.22.
 */
#include <math.h>

#include "analyse/compare/student.h"

#define STEPS  500
#define ENOUGH 1e-14
#define TINY   1e-300

static double apart_from_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* One step of the fraction by its coefficient; what the value is times. */
static double fraction_step(double coefficient, double *c, double *d)
{
	*d = 1 / apart_from_zero(1 + coefficient * *d);
	*c = apart_from_zero(1 + coefficient / *c);
	return *c * *d;
}

static double beta_fraction(double x, double a, double b)
{
	double c = 1, d = 1 / apart_from_zero(1 - (a + b) * x / (a + 1));
	double value = d;

	for (int m = 1; m < STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x /
			     ((a + 2 * m) * (a + 2 * m + 1));
		double times = fraction_step(even, &c, &d);

		value *= times;
		times = fraction_step(odd, &c, &d);
		value *= times;
		if (fabs(times - 1) < ENOUGH)
			break;
	}
	return value;
}

/* The regularised incomplete beta function of x, 0 … 1. */
static double beta_share(double x, double a, double b)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_above(double t, double freedom)
{
	double tail;

	if (isinf(freedom))
		return erfc(t / sqrt(2)) / 2;
	if (isinf(t))
		return t > 0 ? 0 : 1;
	tail = beta_share(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
	return t > 0 ? tail : 1 - tail;
}

double student_limit(double p, double freedom)
{
	double low = 0, high = 1;

	while (student_above(high, freedom) > p && high < 1e12)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-12 * high; i++) {
		double middle = (low + high) / 2;

		if (student_above(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
