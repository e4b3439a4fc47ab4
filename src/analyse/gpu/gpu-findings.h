/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-findings.h - GPUs in sentences. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/paths/paths.h"

/* What GPUs did, when they did anything.  0, or -ENOMEM. */
int findings_gpu(struct report *report, const struct paths *paths);

/* How much memory GPUs had, and what leaks. */
int findings_gpu_memory(struct report *report, const struct paths *paths);
