/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory-limits.h - what there is of memory: the host's, and the limit of this
 * process's control groups, versions 1 and 2.
 *
 * Of the groups from ours up to the root the one with the least limit counts.
 * What is not to be had is 0.
 */
#pragma once

#include <stdint.h>

struct memory_limits {
	int host;                       /* meminfo; -1: none, as the others: */
	int held, peak, refusals, stat; /* of the group that has the limit */
	int kills;                      /* of ours */
	int version;                    /* of control groups; 0: none */
	uint64_t total, limit;          /* of the host, the group */
};

/* `proc` and `groups`: /proc and /sys/fs/cgroup, but in tests. */
void memory_limits_open(struct memory_limits *to, const char *proc,
			const char *groups);
void memory_limits_close(struct memory_limits *m);

/* Bytes: available on the host; held by the group, see footprint.def. */
uint64_t memory_available(const struct memory_limits *m);
uint64_t memory_held(const struct memory_limits *m);

/* By the kernel's word: the group's peak, how often it was at its limit. */
uint64_t memory_peak(const struct memory_limits *m);
uint64_t memory_refusals(const struct memory_limits *m);

/* Processes of our group that were killed for lack of memory. */
uint64_t memory_kills(const struct memory_limits *m);
