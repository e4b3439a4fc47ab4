/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * events.h - the events that a run asks for: found by name, tried on this
 * machine, ready for the collector.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/event.h"

/* One entry of a list "cpu@500,perf::PAGE-FAULTS". */
struct event_word {
	char name[EVENT_NAME_SIZE];
	bool has_number;
	uint64_t number; /* after @: a rate of a clock, else a period */
};

/*
 * The entry at *list, which moves behind it: 1; 0 at the end; -EINVAL with a
 * reason.
 */
int events_next(const char **list, struct event_word *word);

/* cpu or wall: the collector's own, with a rate. */
bool events_is_clock(const struct event_word *word);

struct events {
	struct event at[EVENT_MOST];
	size_t count;
};

/*
 * Add an event as far as this machine has it: 0; -ENODEV with a reason that
 * names similar ones.  `hint` is told what is given instead of what was asked
 * for.
 */
int events_add(struct events *to, const struct event_word *word,
	       void (*hint)(const char *event, const char *what));

/*
 * Every event whose name is known here, and whether this machine counts it: 0,
 * or -ENODEV with a reason.
 */
int events_each(void (*each)(void *to, const char *name, bool counts),
		void *to);

/* Put them into the environment, for the collector: 0, or -errno. */
int events_export(const struct events *events);
