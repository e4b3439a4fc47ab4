/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-work.h - what GPUs did and the calls of CUDA: for each call path or each
 * name how often, how long, how many bytes.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"

/*
 * A report on the paths of one run, which `fill` fills.  As an analysis's run:
 * 0, or -errno with a reason.
 */
int gpu_report(struct report **to, const struct run *const runs[],
	       const struct analysis_options *options, const char *name,
	       int (*fill)(struct report *report, const struct paths *paths,
			   const struct analysis_options *options));

/* The analysis `symbol`, called `name_`, of that help, which is a gpu_report().
 */
#define GPU_ANALYSIS(symbol, name_, help_, fill)                               \
	static int run_##symbol(struct report **to,                            \
				const struct run *const runs[],                \
				const struct analysis_options *options)        \
	{                                                                      \
		return gpu_report(to, runs, options, name_, fill);             \
	}                                                                      \
	const struct analysis analysis_##symbol = { .name = name_,             \
						    .help = help_,             \
						    .takes =                   \
							    ANALYSIS_COLLAPSE, \
						    .run = run_##symbol };

/* How a path stands for readers, for programs: "launched_by". */
void gpu_launch_cell(struct report *report, const struct paths *paths,
		     uint32_t path);

enum gpu_choice {
	GPU_KERNELS, /* and graphs */
	GPU_COPIES,  /* and memsets */
	GPU_CALLS,
	GPU_ERRORS, /* of calls: one for each call and error */
};

struct gpu_row {
	uint32_t path;     /* by name: the first of its paths */
	uint32_t function; /* string of the run */
	uint32_t call;     /* an error's: the function that failed so */
	double count, seconds, bytes;
	double min, max;      /* seconds of one; 0: not known */
	double queued, delay; /* whose delay is known, and its seconds */
	double failed, waited;
};

struct gpu_work_rows {
	struct gpu_row *at; /* by seconds, then count: the largest first */
	size_t count;
	struct gpu_row total;
};

/* 0, or -ENOMEM with a reason. */
int gpu_work_init(struct gpu_work_rows *work, const struct paths *paths,
		  enum gpu_choice choice, bool by_name);
void gpu_work_fini(struct gpu_work_rows *work);

/*
 * The members whose GPU work is compared, indices into run->ranks: all ranks of
 * an MPI job, else the processes that used GPUs, since others, such as a
 * framework's loaders of data, are not meant to.  To be freed, NULL with a
 * reason.
 */
uint32_t *gpu_work_members(const struct run *run, size_t *count);

/*
 * Two cells, of the members that are compared: how far the one that has most of
 * that name is above the mean, and which it is.
 */
void gpu_work_skew(struct report *report, const struct run *run,
		   uint32_t function);
