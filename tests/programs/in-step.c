/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * in-step.c [SECONDS [MICROSECONDS]] - rounds of one length, 1000 µs unless
 * said otherwise: four functions, called one after the other, have 10, 20, 30
 * and 40 % of each.  Long rounds keep step with a clock of that period, or of
 * a multiple; in rounds of a microsecond or less the functions are short, and
 * called millions of times.
 *
 * No clock is read meanwhile, as that would disturb short functions.  All of
 * the work is one chain of operations, each of which waits for the one before:
 * calls and loops run ahead of it, so that a function's time is its number of
 * steps, whatever the call costs.  What the chain took in all is measured at
 * its ends and divided by steps.
 */
#include "known.h"

#define STEPS    4000000 /* to measure one: about 10 ms */
#define ATTEMPTS 5
#define PARTS    10 /* of a round: 1 + 2 + 3 + 4 */
#define FUNCTION(f)                                                            \
	static KEPT double f(double x, long steps)                             \
	{                                                                      \
		while (steps-- > 0)                                            \
			x = x * 0.999999 + 1.0;                                \
		return x;                                                      \
	}

FUNCTION(ten)
FUNCTION(twenty)
FUNCTION(thirty)
FUNCTION(forty)
FUNCTION(calibrate)

/* Seconds of one step; the fastest attempt was disturbed least. */
static double step_seconds(void)
{
	double least = 1;

	for (int i = 0; i < ATTEMPTS; i++) {
		double start = cpu_seconds(), taken;

		known_sink = calibrate(known_sink, STEPS);
		taken = (cpu_seconds() - start) / STEPS;
		least = taken < least ? taken : least;
	}
	return least;
}

static KEPT double run(double x, long rounds, long part)
{
	while (rounds-- > 0) {
		x = ten(x, part);
		x = twenty(x, 2 * part);
		x = thirty(x, 3 * part);
		x = forty(x, 4 * part);
	}
	return x;
}

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 2.0), step = step_seconds();
	double round_s = (argc > 2 ? atof(argv[2]) : 1000) * 1e-6, start;
	long part = (long)(round_s / step / PARTS + 0.5);

	part = part ? part : 1;
	start = cpu_seconds();
	known_sink = run(known_sink,
			 (long)(seconds / step / PARTS / (double)part), part);
	seconds = cpu_seconds() - start;
	truth("ten", seconds * 0.1);
	truth("twenty", seconds * 0.2);
	truth("thirty", seconds * 0.3);
	truth("forty", seconds * 0.4);
	usage();
	return 0;
}
