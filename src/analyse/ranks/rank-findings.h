/* SPDX-License-Identifier: BSD-3-Clause */
/* rank-findings.h - ranks and processes in sentences. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/paths/paths.h"
#include "run/call-paths.h"

/* uneven-load.c: what an even load would save. */

/*
 * What an even load would save, by `metric` (the time that is compared; NULL:
 * nothing is said): for processes of which it is not known who waited for
 * whom.  0, or -ENOMEM.
 */
int uneven_findings(struct report *report, const struct paths *paths,
		    const struct efficiency *efficiency,
		    const struct run_metric *metric);

/*
 * process-groups.c: the processes of a run by what they do: those of one
 * name that processes of one group started.
 */

/*
 * A sentence for each group of workers that took much CPU time: how many, who
 * started them, and where they were most.  0, or -errno with a reason.
 */
int process_groups_say(struct report *report, const struct paths *paths,
		       const struct run_metric *metric);
