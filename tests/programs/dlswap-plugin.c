/* SPDX-License-Identifier: BSD-3-Clause */
/* dlswap-plugin.c - hot code that comes and goes; HOT is its name. */
#include "known.h"

KEPT double HOT(double seconds);
double work(double seconds);

double HOT(double seconds)
{
	return work_for(seconds);
}

double work(double seconds)
{
	double used = HOT(seconds);

	__asm__ volatile("");
	return used;
}
