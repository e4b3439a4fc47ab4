/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.h - sentences on what ranks did in the end, when the job stood still. */
#pragma once

#include "analyse/base/report.h"
#include "run/call-paths.h"

/*
 * Whom most ranks waited for, if the run ended while they did for long.  0, or
 * -ENOMEM with a reason.
 */
int ends_findings(struct report *report, const struct paths *paths);
