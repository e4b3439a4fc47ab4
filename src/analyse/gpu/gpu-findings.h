/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-findings.h - GPUs in sentences. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/paths/paths.h"

/* What GPUs did, when they did anything.  0, or -ENOMEM. */
int findings_gpu(struct report *report, const struct paths *paths);

/* Collective calls, and for whom they waited.  0, or -ENOMEM. */
int findings_gpu_collectives(struct report *report, const struct paths *paths);

/* The same with its tables: nothing where there are no such calls. */
struct analysis_options;
int gpu_collectives_tables(struct report *report, const struct paths *paths,
			   const struct analysis_options *options);

/* How much memory GPUs had, and what leaks. */
int findings_gpu_memory(struct report *report, const struct paths *paths);
