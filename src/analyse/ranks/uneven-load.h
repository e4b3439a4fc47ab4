/* SPDX-License-Identifier: BSD-3-Clause */
/* uneven-load.h - what an even load would save. */
#pragma once

#include "analyse/base/report.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/paths/paths.h"

/*
 * What an even load would save, by `metric` (the time that is compared; NULL:
 * nothing is said): for processes of which it is not known who waited for
 * whom.  0, or -ENOMEM.
 */
int uneven_findings(struct report *report, const struct paths *paths,
		    const struct efficiency *efficiency,
		    const struct run_metric *metric);
