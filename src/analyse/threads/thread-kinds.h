/* SPDX-License-Identifier: BSD-3-Clause */
/* thread-kinds.h - threads by their names and where they began. */
#pragma once

#include "analyse/paths/paths.h"
#include "analyse/base/report.h"

/* A row for each kind, over all processes, at most so many. 0, or -ENOMEM. */
int thread_kinds_put(struct report *report, const struct paths *paths,
		     size_t limit);
