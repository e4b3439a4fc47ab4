/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device-use.h - what the parts of each GPU were used for, by NVML's GPM
 * (live/gpu-uses.def): of the whole device, whoever used it.
 */
#pragma once

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"

/* A sentence on all GPUs, when it is known. */
void device_use_findings(struct report *report, const struct run *run);

/* Tables of devices and of phases; `phases` has none where nothing is known. */
void device_use_table(struct report *report, const struct run *run,
		      const struct analysis_options *options);
void device_use_phases(struct report *report, const struct paths *paths,
		       const struct analysis_options *options);
