/* SPDX-License-Identifier: BSD-3-Clause */
/* power-loop.h - the loop of the process that reads power. */
#ifndef LAUNCH_POWER_LOOP_H
#define LAUNCH_POWER_LOOP_H

#include "live/power.h"

/*
 * Read power into `power` about ten times a second, until the other end of the
 * pipe at descriptor 0 is closed; then read once more.
 *
 * GPUs that processes of `folder` use are read in each round, the others in
 * each tenth.  While no process uses a GPU, all are read in each round.  The
 * time between rounds is random, so that it cannot keep step with the program.
 */
void power_loop_run(struct live_power *power, const char *folder);

#endif
