/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * analysis.h - a run in, a report out.  An analysis is one file and its word
 * in ANALYSES of src/analyse/local.mk; it never prints.  This header brings
 * along what most of them need.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/report.h"
#include "analyse/base/value.h"

struct analysis_options {
	const char *metric; /* NULL: the analysis's own choice */
	size_t limit;   /* rows; 0: the analysis's own choice, SIZE_MAX: all */
	bool by_line;   /* hotspots: by line, not by function */
	bool bottom_up; /* tree */
	double prune;   /* tree: least share shown, 0.01 */
	bool weak;      /* scaling: the work grew with the ranks */
	size_t base;    /* diff: so many runs before 'vs'; 0: no such word */
	const char *window;       /* gpu-trace: a part of the time; NULL: all */
	const char *const *names; /* of the runs, for readers; may be NULL */
};

/* Options that not all analyses take, as all do the number of rows. */
enum {
	ANALYSIS_METRIC = 1,
	ANALYSIS_IDLE = 2, /* threads that only waited: where metrics are */
	ANALYSIS_LINES = 4,
	ANALYSIS_TREE = 8,
	ANALYSIS_WEAK = 16,
	ANALYSIS_COLLAPSE = 32, /* packages of Python; the run was changed */
	ANALYSIS_WINDOW = 64
};

struct analysis {
	const char *name, *help;
	unsigned int takes;
	/* `runs` ends with NULL.  0, or -errno with a reason. */
	int (*run)(struct report **to, const struct run *const runs[],
		   const struct analysis_options *options);
};

/* Every analysis, ended by NULL; the first is the default. */
extern const struct analysis *const analyses[];
const struct analysis *analysis_find(const char *name); /* or NULL */

/* -EINVAL with a reason unless `runs` holds exactly one run. */
int analysis_one_run(const struct run *const runs[], const char *analysis);

/*
 * A report of `analysis` whose title says what ran; metric may be NULL.  NULL
 * with a reason when out of memory.
 */
struct report *analysis_report(const char *analysis, const struct run *run,
			       const struct run_metric *metric);

/*
 * The metric asked for, or `preferred` when none was; NULL: the time that was
 * sampled, wall.time in a run of `-e wall`, else cpu.time.  NULL, with a reason
 * that lists the metrics of the run, when it has no such metric, or when that
 * is an extreme, which is no share of anything.
 */
const struct run_metric *analysis_metric(const struct run *run,
					 const struct analysis_options *options,
					 const char *preferred);

/* How many of `count` rows to show; `own` is the analysis's own choice. */
size_t analysis_limit(const struct analysis_options *options, size_t own,
		      size_t count);
