/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu-contention.h - more threads that computed than cores. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* Ranks that waited for cores.  0, or -ENOMEM. */
int contention_findings(struct report *report, const struct run *run);

/* Of its time, what a process's first thread waited for one; 0: not known. */
double contention_of_rank(const struct run_rank *rank);

/* Of their time, what members waited for a core; NAN: not known. */
double contention_share(const struct run *run);
