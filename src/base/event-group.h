/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event-group.h - events that are counted together, and what follows from
 * them: a text file NAME.ev.
 *
 *     title   Instructions per cycle
 *     event   cycles = PAPI_TOT_CYC
 *     event   instructions = PAPI_TOT_INS
 *     metric  instructions per cycle = instructions / cycles
 *
 * An event may have @PERIOD.  A formula (analyse/base/formula.h) is over the
 * words of the events and `time`, the CPU time in seconds.  '#' begins a
 * comment.
 *
 * Groups are looked for in the folder that $COPSE_GROUPS names, then in
 * copse's own.
 */
#pragma once

#include <stddef.h>

#include "base/event.h"

enum {
	EVENT_GROUP_METRICS = 16
};

struct event_group_row {
	const char *word, *is; /* left and right of the '=' */
};

struct event_group {
	char *text; /* holds all the strings */
	char *name;
	const char *title;
	struct event_group_row events[EVENT_MOST];
	struct event_group_row metrics[EVENT_GROUP_METRICS];
	size_t event_count, metric_count;
};

/*
 * The group of that name, or, when it holds a '/', of that file.  0; -ENOENT
 * with a reason that lists those known; -EINVAL with one that names the line.
 */
int event_group_load(struct event_group **to, const char *name);
void event_group_free(struct event_group *group); /* NULL is fine */

/*
 * The names of all groups, in alphabetical order, ended by NULL, in one piece
 * for free(); NULL when out of memory.
 */
char **event_group_names(void);
