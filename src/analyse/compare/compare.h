/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * compare.h - runs against runs: is what changed more than noise?
 *
 * Method   Several runs on a side: Student's test of two means with a pooled
 *          variance, n + m - 2 degrees of freedom, which is made for few values
 *          (W. S. Gosset, The probable error of a mean, Biometrika 6, 1908; for
 *          performance: A. Georges, D. Buytaert, L. Eeckhout, Statistically
 *          rigorous Java performance evaluation, OOPSLA 2007).  It supposes
 *          values spread about normally, and alike on both sides.  What was
 *          met by less than CONFIDENCE_FEW samples in a run is not: there
 *          the variance is at least that of sampling (confidence.h).
 *          One run on each side: the variance of sampling alone.  How runs
 *          differ from each other is then unknown, and so is all noise of a
 *          value that is not sampled.
 */
#pragma once

#include <stddef.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/path-union.h"

struct comparison {
	double base, now;      /* means of the sides */
	double change, margin; /* now - base; 95 % are within; NAN: unknown */
	double more, less; /* probability that chance alone gives such a rise,
			      or fall; NAN: unknown */
};

/*
 * Of `count` values, the first `base` of them the base's; sampling[i] is the
 * variance that sampling gives values[i].
 */
void comparison_of(struct comparison *c, const double *values,
		   const double *sampling, size_t base, size_t count);

/* change / base; NAN: from nothing to nothing; INFINITY: from nothing. */
double comparison_relative(const struct comparison *c);

/* "+3.2 %", or that there was nothing to have a share of; returns `to`. */
const char *comparison_text(char to[32], const struct comparison *c);

/* Runs, the first `base` of them of the one side. */
struct sides {
	const struct run *const *runs; /* ended by NULL */
	size_t base, count;
	struct path_union paths; /* of all */
};

/*
 * -EINVAL with a reason unless both sides have a run; base 0: one.  The runs
 * must outlive the sides.
 */
int compare_sides_init(struct sides *s, const struct run *const runs[],
		       size_t base);
void compare_sides_fini(struct sides *s);

/* The first run of the new side. */
const struct run *compare_sides_new(const struct sides *s);

/* The metric of one of the runs, by name; NULL: none has it. */
const struct run_metric *compare_sides_metric(const struct sides *s,
					      const char *name);

/*
 * The metric asked for, which one run must have, else the time that the first
 * one sampled; NULL with a reason.
 */
const struct run_metric *
compare_sides_choose(const struct sides *s,
		     const struct analysis_options *options);

/* Values of one metric, of path after path: at[path * count + run]. */
struct sides_values {
	size_t count; /* of the runs */
	double *exclusive, *inclusive;
	double *noise, *noise_below; /* variances by sampling of the two */
};

/* 0, or -ENOMEM with a reason. */
int compare_values_init(struct sides_values *v, const struct sides *s,
			const char *metric);
void compare_values_fini(struct sides_values *v);

void compare_sides_inclusive(struct comparison *c, const struct sides *s,
			     const struct sides_values *v, uint32_t path);
void compare_sides_exclusive(struct comparison *c, const struct sides *s,
			     const struct sides_values *v, uint32_t path);

/*
 * The exclusive values of each function, of all paths that end in it: of[path]
 * is the number of its function.  0, or -ENOMEM with a reason.
 */
struct functions {
	size_t count, runs;
	uint32_t *of;
	uint32_t *name;         /* in paths.strings */
	double *values, *noise; /* at[function * runs + run] */
};
int compare_functions_init(struct functions *f, const struct sides *s,
			   const struct sides_values *v);
void compare_functions_fini(struct functions *f);
