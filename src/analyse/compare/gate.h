/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gate.h - a verdict on runs: rules that must not hold between two sides.
 *
 * Method   A rule asks about one value or, with a pattern, about many: each is
 *          a test.  A test fails when the value, by the means of both sides,
 *          changed by more than the limit and the change is more than noise
 *          (compare.h).  All tests together find a change where there is none
 *          in 1 - confidence of all gates at most, whatever their number (S.
 *          Holm, A simple sequentially rejective multiple test procedure,
 *          Scand. J. Stat. 6, 1979).
 *          A value whose noise is not known (one run a side, not sampled) fails
 *          by its limit alone.
 */
#pragma once

#include <stdbool.h>

#include "analyse/base/analysis.h"

struct gate_options {
	const char *const *rules; /* ended by NULL */
	double confidence;        /* 0.99 */
	double least; /* share of its metric that a path or function has, on
			 either side, to be looked at */
};

/*
 * A report of the verdict; *failed: a rule holds.  options->base as for diff.
 * 0; -EINVAL with a reason when a rule is wrong or a metric unknown; else
 * -errno with a reason.
 */
int gate_run(struct report **to, bool *failed, const struct gate_options *gate,
	     const struct run *const runs[],
	     const struct analysis_options *options);
