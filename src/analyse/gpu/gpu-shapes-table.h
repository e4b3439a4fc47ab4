/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-shapes-table.h - how kernels were launched, and what limits them. */
#ifndef ANALYSE_GPU_GPU_SHAPES_TABLE_H
#define ANALYSE_GPU_GPU_SHAPES_TABLE_H

#include "analyse/analysis.h"

/* Adds the table `shapes`, when there are any. */
void gpu_shapes_table(struct report *report, const struct run *run,
		      const struct analysis_options *options);

#endif
