/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-slowdown.h - what samples of kernels cost, by launches that are alike
 * while kernels were sampled and while they were not.
 *
 * Method   Of each kind of launch the means m1 (sampled) and m0; the slow-down
 * is sum n1 m1 / sum n1 m0 - 1, over kinds, n1 being the launches that were
 * sampled.  Its interval is the delta method's, as if launches of a kind were
 * independent.
 */
#ifndef ANALYSE_GPU_SLOWDOWN_H
#define ANALYSE_GPU_SLOWDOWN_H

#include "analyse/analysis.h"

/* A sentence, and a table of what was compared, of a run that was sampled. */
void gpu_slowdown_say(struct report *report, const struct run *run);
void gpu_slowdown_table(struct report *report, const struct run *run,
			const struct analysis_options *options);

#endif
