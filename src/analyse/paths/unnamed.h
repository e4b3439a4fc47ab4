/* SPDX-License-Identifier: BSD-3-Clause */
/* unnamed.h - how much is in functions that have no names, and what to do. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

/* As a note, when it is much of the metric; NULL: nothing is said. */
void unnamed_say(struct report *report, const struct run *run,
		 const struct run_metric *metric);

/* As a note, that the program was built without -g, and what that lacks. */
void unnamed_say_lines(struct report *report, const struct run *run,
		       const struct run_metric *metric);
