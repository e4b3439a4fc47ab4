/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steady.c [SECONDS [PATH PERCENT]] - does the same each time it is run: of
 * SECONDS of CPU time solve() has 40 % in work() and 10 % itself, exchange()
 * 30 % in work(), output() 20 %.  With PATH one of them takes so many per cent
 * more: solve (its work), exchange (its work) or output.
 *
 * Overshoot is taken off the next turn, so that the sums are right to 0.1 ms.
 */
#include <string.h>

#include "known.h"

enum path {
	SOLVE,
	SOLVE_WORK,
	EXCHANGE_WORK,
	OUTPUT,
	PATHS
};

static double share[PATHS] = { 0.1, 0.4, 0.3, 0.2 };
static const char *const names[PATHS] = { "solve-itself", "solve", "exchange",
					  "output" };
static double owed[PATHS], used[PATHS];

/* Once per function: the work must be in the function itself. */
#define WORK(path, round_s)                                                    \
	do {                                                                   \
		double now;                                                    \
                                                                               \
		owed[path] += share[path] * (round_s);                         \
		now = work_for(owed[path]);                                    \
		owed[path] -= now;                                             \
		used[path] += now;                                             \
	} while (0)

static KEPT void work(enum path path, double round_s)
{
	WORK(path, round_s);
}

static KEPT void solve(double round_s)
{
	work(SOLVE_WORK, round_s);
	WORK(SOLVE, round_s);
}

static KEPT void exchange(double round_s)
{
	work(EXCHANGE_WORK, round_s);
	__asm__ volatile("");
}

static KEPT void output(double round_s)
{
	WORK(OUTPUT, round_s);
}

int main(int argc, char **argv)
{
	double seconds = seconds_wanted(argc, argv, 1.0);

	for (int i = 0; argc > 3 && i < PATHS; i++)
		if (!strcmp(argv[2], names[i]))
			share[i] *= 1 + atof(argv[3]) / 100;
	for (double done = 0; done < seconds;) {
		double round_s = next_round();

		solve(round_s);
		exchange(round_s);
		output(round_s);
		done += round_s;
	}
	for (int i = 0; i < PATHS; i++)
		truth(names[i], used[i]);
	usage();
	return 0;
}
