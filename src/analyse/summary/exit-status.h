/* SPDX-License-Identifier: BSD-3-Clause */
/* exit-status.h - how processes ended. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* How processes ended, if not well; files that are missing. */
void exit_status_findings(struct report *report, const struct run *run);
