/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process-groups.h - the processes of a run by what they do: those of one
 * name that processes of one group started.
 */
#pragma once

#include "analyse/base/report.h"
#include "run/call-paths.h"

/*
 * A sentence for each group of workers that took much CPU time: how many, who
 * started them, and where they were most.  0, or -errno with a reason.
 */
int process_groups_say(struct report *report, const struct paths *paths,
		       const struct run_metric *metric);
