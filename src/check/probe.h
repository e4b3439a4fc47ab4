/* SPDX-License-Identifier: BSD-3-Clause */
/* probe.h - what the probes share; their prototypes follow from probes.def. */
#pragma once

#include "check/check.h"

#define PROBE(function, ...)                                                   \
	void probe_##function(struct finding *to, const struct doctor *d);
#include "check/probes.def"
#undef PROBE

/* Where a filter refuses perf_event_open, no sysctl helps. */
#define ASK_MEND_FILTER                                                        \
	"allow perf_event_open in the container's seccomp profile"

/* The three parts of an answer. */
void probe_found(struct finding *to, enum finding_state state, const char *fmt,
		 ...) __attribute__((format(printf, 3, 4)));
void probe_instead(struct finding *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void probe_mend(struct finding *to, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The number that a file of /proc or /sys holds, or `none`. */
long probe_number(const char *path, long none);

/* The first line of a file, "" when it cannot be read. */
void probe_line(const char *path, char *to, size_t size);

/* The process has that capability of <linux/capability.h>. */
bool probe_capable(int capability);

/* "Seccomp:" and its like in /proc/self/status, by a base; or 0. */
unsigned long long probe_status(const char *key, int base);
