/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * step-findings.h - what stands out among iterations: some that took long, a
 * rank that is slow now and then, drift, and what is before and behind them.
 *
 * Noise    Others on the cores make iterations longer, too.  Where ranks waited
 *          for a core for half of the time in question or more, or where that
 *          is not known, elapsed time is no evidence: the cores must have
 *          worked for the program, outside MPI, half as much as they do else,
 *          and more than chance makes of so many samples.  Or the rank is late
 *          in a rhythm that chance makes in 1 of 100 runs at most.
 */
#pragma once

#include "analyse/time/step-cells.h"

struct step_slow {       /* iterations that took far longer for one reason */
	uint64_t number; /* of the longest of them, … */
	double took;     /* … which took so long */
	uint32_t rank; /* that all waited for (index into ranks), or STEP_ALL */
	uint32_t path; /* most of the excess; 0: not known */
	uint32_t times;
	double seconds; /* together, beyond the usual */
};

struct step_late {       /* a rank that is slow now and then */
	uint32_t rank;   /* index into ranks */
	uint32_t path;   /* as of a step_slow */
	uint32_t times;  /* iterations in which it alone was late, … */
	uint32_t period; /* … each so many; 0: not regularly */
	double seconds;  /* together, beyond its usual time and the others' */
	double lost;     /* seconds by which iterations were longer for it */
};

struct step_findings {
	struct step_slow *slow; /* by seconds, the most first */
	size_t slow_count, slow_room;
	size_t unsure;         /* as long, but nobody may have had a core */
	struct step_late late; /* times 0: none */
	double drift;          /* of the first tenth, by the last; 0: none */
	double drift_seconds;  /* beyond as many of the first tenth */
	uint32_t drift_path;
	double before, after; /* seconds of the run, without iterations */
	uint32_t before_path, after_path;
};

/* 0, or -ENOMEM with a reason.  What is unsure is no outlier from then on. */
int step_findings_init(struct step_findings *to, struct step_times *times,
		       const struct paths *paths);
void step_findings_fini(struct step_findings *findings);
