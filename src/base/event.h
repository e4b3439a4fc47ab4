/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event.h - an event that the kernel counts (perf_event_open): how `copse run`
 * hands those that were asked for to the collector, and who finds them by name.
 *
 * As text: "NAME PERIOD USER_ONLY" and, for each part, "SIGN TYPE CONFIG
 * CONFIG1 CONFIG2 NO_USER NO_KERNEL"; a ';' between events.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	EVENT_MOST = 20,      /* in one run: live_header has room for them */
	EVENT_PARTS = 8,      /* kernel events that make one */
	EVENT_NAME_SIZE = 51, /* "papi." and this are a metric's name */
};

/* The environment variable that holds them. */
#define EVENT_VARIABLE "COPSE_COUNTERS"

struct event_part { /* a kernel event that is added or taken away */
	uint32_t type;
	uint64_t config, config1, config2;
	bool minus, no_user, no_kernel;
};

struct event {
	char name[EVENT_NAME_SIZE]; /* as the user wrote it, without a blank */
	uint64_t period;            /* of samples; 0: counted, not sampled */
	bool user_only;             /* the kernel is not ours to count */
	uint32_t part_count;
	struct event_part parts[EVENT_PARTS];
};

struct perf_attr;

/* What perf_event_open() wants to know; counting starts when it is opened. */
void event_attr(struct perf_attr *attr, const struct event *event,
		const struct event_part *part);

/* The text of `count` events; false: they do not fit. */
bool event_write(char *to, size_t size, const struct event *events,
		 size_t count);

/* The events of a text, at most `most`; what makes no sense ends it. */
size_t event_read(const char *text, struct event *events, size_t most);

/*
 * What libcopse-papi.so exports as copse_event_source: names are PAPI's and
 * libpfm's.  The only way to it is dlsym(): it has a copy of err.c of its own,
 * so reasons come back as text.
 */
struct event_source {
	/* Fills name, part_count and parts: 0, or -ENOENT and why. */
	int (*find)(struct event *to, const char *name, char *why, size_t size);
	/* Every name that may be worth a try. */
	void (*list)(void (*each)(void *to, const char *name), void *to);
};
