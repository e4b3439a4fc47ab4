/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * finish.h - from the live profiles of one `copse run` to rank-N.h5, when the
 * program has ended.  Of src/launch only this and node-output.h need HDF5; the
 * parent beside the program has none of it.
 *
 * One process image per rank is the main one and gets the short name: the one
 * that called MPI_Init or, when none did, the program itself.  The others are
 * rank-N-PID.h5.  With `node` they go to node-HOST.h5 under these names; what
 * cannot be added there becomes a file.
 */
#pragma once

#include "launch/harvest.h"

/*
 * Write the profiles, remove the raw copies and the live files of those that
 * are safe.  A profile that is still written to stays where it is, and has a
 * raw copy as of now.  0, or the first failure with a reason.
 */
int finish_harvest(struct harvest *h);
