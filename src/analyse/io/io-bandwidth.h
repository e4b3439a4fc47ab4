/* SPDX-License-Identifier: BSD-3-Clause */
/* io-bandwidth.h - how fast hosts read and wrote, over time. */
#pragma once

#include <stddef.h>

#include "analyse/base/report.h"
#include "run/run.h"

/* Two tables: a row for each of at most `limit` hosts; and all bins. */
void io_bandwidth_put(struct report *report, const struct run *run,
		      size_t limit);
