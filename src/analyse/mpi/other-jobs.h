/* SPDX-License-Identifier: BSD-3-Clause */
/* other-jobs.h - MPI jobs beside the one that is shown. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* That there were other MPI jobs, and whose ranks are shown. */
void jobs_findings(struct report *report, const struct run *run);
