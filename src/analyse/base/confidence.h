/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * confidence.h - how far a share that was sampled can be trusted: the interval
 * that holds the true one in 95 of 100 runs.
 *
 * Method   Samples fall at moments that have nothing to do with the program,
 *          so a share is a proportion of independent draws: its interval is
 *          Wilson's score interval (E. B. Wilson, Probable inference, the law
 *          of succession, and statistical inference, J. Am. Stat. Assoc. 22,
 *          1927), which holds for few samples and small shares as well.
 *          Samples carry weights; they are worth as many equal ones as Kish's
 *          effective sample size says, (sum w)^2 / sum w^2 (L. Kish, Survey
 *          Sampling, 1965).
 */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

#define CONFIDENCE_FEW 100 /* fewer samples say nothing of shares */

struct confidence {
	double low, high; /* 0 … 1 */
	double margin;    /* the share less, or more, this holds both */
};

/*
 * How many equal samples those of the metric are worth; 0 when there are none,
 * or the metric is not sampled.
 */
double confidence_samples(const struct run *run,
			  const struct run_metric *metric);

/* Of a share, 0 … 1, by that many samples; without samples all is possible. */
struct confidence confidence_of(double share, double samples);

/* Two cells, low and high; empty without samples. */
void confidence_cells(struct report *report, const struct confidence *c,
		      double samples);
