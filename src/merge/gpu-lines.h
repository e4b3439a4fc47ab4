/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-lines.h - samples of kernels, by instruction, become values of a
 * profile's tree: of children of the kernels, which are lines.
 *
 * A sample has no launch.  Those of a line are shared out among the call paths
 * that launched its kernel as the GPU's time is: with one path that is what was
 * sampled, with several an estimate.  Kernels of which no launch is known of
 * its own (in graphs) stand below the root.
 */
#ifndef MERGE_GPU_LINES_H
#define MERGE_GPU_LINES_H

#include "profile/profile.h"

/*
 * 0, or -ENOMEM with a reason.  What cannot be read has no lines, and *note,
 * to be freed, says why; NULL: all is well.
 */
int gpu_lines_put(struct profile *p, char **note);

#endif
