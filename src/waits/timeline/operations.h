/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operations.h - some of the matched operations as they were: who entered the
 * call when, left it when, and waited in it for whom.  For viewers of traces;
 * sums come from all of them (wait-find.h).
 */
#pragma once

#include "run/run.h"
#include "waits/wait-find.h"

#define OPERATION_RECORDS 65536 /* at most; 2 MB in the database */

/*
 * run->waits.operations, on the axis of run->timeline, which must be there:
 * whole operations, those of the highest levels.  0, or -ENOMEM with a reason.
 */
int operations_keep(struct run *run, const struct matched_events *events,
		    const struct wait_state *waits,
		    const struct clocks *clocks);
