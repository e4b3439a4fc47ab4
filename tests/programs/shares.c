/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shares.c [SECONDS] - four functions with 10, 20, 30 and 40 % of the CPU
 * time, half of each below left() and half below right().
 *
 * Each function works until it has used its share of the round; an overshoot
 * is taken off its next turn.
 */
#include "known.h"

static double round_s, used[4], owed[4];

/* Once per function: the work must be in the function itself. */
#define WORK(i, share)                                                         \
	do {                                                                   \
		double now;                                                    \
                                                                               \
		owed[i] += (share)*round_s / 2;                                \
		now = work_for(owed[i]);                                       \
		owed[i] -= now;                                                \
		used[i] += now;                                                \
	} while (0)

static KEPT void ten(void)
{
	WORK(0, 0.1);
}

static KEPT void twenty(void)
{
	WORK(1, 0.2);
}

static KEPT void thirty(void)
{
	WORK(2, 0.3);
}

static KEPT void forty(void)
{
	WORK(3, 0.4);
}

static KEPT void left(void)
{
	ten();
	twenty();
	thirty();
	forty();
	__asm__ volatile("");
}

static KEPT void right(void)
{
	forty();
	thirty();
	twenty();
	ten();
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	double end = cpu_seconds() + seconds_wanted(argc, argv, 2.0);

	while (cpu_seconds() < end) {
		round_s = next_round();
		left();
		right();
	}
	truth("ten", used[0]);
	truth("twenty", used[1]);
	truth("thirty", used[2]);
	truth("forty", used[3]);
	return 0;
}
