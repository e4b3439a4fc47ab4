/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * progress.h - says on stderr what takes long: on a terminal a bar, after half
 * a second, and how much longer it may take.  Elsewhere nothing, or, for the
 * end of a job, a line for each thing that takes more than two seconds.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "merge/merge.h"

struct progress {
	uint64_t start_ms, shown_ms; /* 0: nothing shown yet */
	uint64_t what_ms;            /* since when it does `what` */
	const char *what, *who;      /* who: begins the lines; NULL: no lines */
	bool terminal, said;
};

/* For merge_save() and its like; *p must live as long as they run. */
struct merge_progress progress_start(struct progress *p, const char *who);

/* Wipe the bar away. */
void progress_end(struct progress *p);
