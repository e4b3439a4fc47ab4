/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress.h - a bar on stderr for what takes long: on a terminal only, and
 * only after half a second.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "merge/merge.h"

struct progress {
	uint64_t start_ms, shown_ms; /* 0: nothing shown yet */
	bool terminal;
};

/* For merge_save(); *p must live as long as it runs. */
struct merge_progress progress_start(struct progress *p);

/* Wipe the bar away. */
void progress_end(struct progress *p);
