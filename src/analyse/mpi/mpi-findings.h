/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi-findings.h - waits and jobs of MPI in sentences. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/mpi/wait-causes.h"
#include "run/run.h"

/* wait-findings.c: who waited for whom, in sentences. */

/*
 * Who waited for whom, and where that was: what is worth a sentence, but for
 * those who lacked a core most of the time, as contention_findings() says.
 * 0, or -ENOMEM.
 */
int findings_waits(struct report *report, const struct blames *blames);

/* As notes: what wait states are worth. */
void findings_joined(struct report *report, const struct run *run);

/* other-jobs.c: MPI jobs beside the one that is shown. */

/* That there were other MPI jobs, and whose ranks are shown. */
void jobs_findings(struct report *report, const struct run *run);
