/* SPDX-License-Identifier: BSD-3-Clause */
/* power-loop.h - what the process that reads power does. */
#ifndef LAUNCH_POWER_LOOP_H
#define LAUNCH_POWER_LOOP_H

#include "live/power.h"

/*
 * Read power into `power` about ten times a second until the other end of the
 * pipe at descriptor 0 is closed, and once more then.
 *
 * GPUs that the processes of `folder` use are read each time; the others each
 * tenth time, or as well, while no process has any.  The time between two
 * rounds is random, so that phases which repeat are met in all their parts.
 */
void power_loop_run(struct live_power *power, const char *folder);

#endif
