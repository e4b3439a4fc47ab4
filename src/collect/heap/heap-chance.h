/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap-chance.h - which bytes are drawn: each one alike, independent of all
 * others, so that distances between them are exponential.  Without the
 * mathematical library, which libcopse.so does not load.
 */
#pragma once

#include <stdint.h>

#define CHANCE_LN2 0.69314718055994530942

/* A number of more than 0 and at most 1, by 53 of the state's bits. */
static inline double chance_number(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*state = x;
	return (double)((x * 0x2545f4914f6cdd1du >> 11) + 1) * 0x1p-53;
}

/* -ln(u), 0 < u <= 1: an exponential number of mean 1, when u is drawn. */
static inline double chance_exponential(double u)
{
	double twos = 0, t, square, sum = 0;

	while (u < 0.70710678118654752) {
		u *= 2;
		twos += CHANCE_LN2;
	}
	/* ln(u) = 2 artanh(t), |t| < 0.172 */
	t = (u - 1) / (u + 1);
	square = t * t;
	for (int k = 17; k > 0; k -= 2)
		sum = sum * square + 1.0 / k;
	return twos - 2 * t * sum;
}

/* 1 - exp(-x), x >= 0: that one of so many bytes is drawn, x in means. */
static inline double chance_some(double x)
{
	int halvings = 0;
	double p = 1;

	if (x > 40)
		return 1;
	for (; x > 0.5; x /= 2)
		halvings++;
	for (int k = 14; k > 1; k--)
		p = 1 - p * x / k;
	p *= x;
	while (halvings-- > 0)
		p *= 2 - p;
	return p;
}
