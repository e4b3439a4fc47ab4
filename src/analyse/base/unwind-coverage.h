/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unwind-coverage.h - how many of all ticks have a call path from the program's
 * or the thread's start.
 */
#pragma once

#include "run/run.h"

struct complete {
	double ticks;    /* samples, and those that were dropped */
	double complete; /* samples whose path does not end early */
	double dropped;  /* of ticks */
};

/* 0, or -ENOMEM with a reason. */
int coverage_of(struct complete *to, const struct run *run);
