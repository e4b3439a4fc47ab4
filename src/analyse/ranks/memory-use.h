/* SPDX-License-Identifier: BSD-3-Clause */
/* memory-use.h - the memory that processes held, by host. */
#pragma once

#include "analyse/base/report.h"
#include "run/run.h"

struct memory_host {
	size_t first, count;              /* of its footprints: rows of `of` */
	const struct run_footprint *tell; /* the one with most readings */
	uint64_t total, least;            /* available */
	uint64_t limit, held;             /* the most of it */
	uint64_t last_held, last_available; /* at the last reading */
	uint64_t group_peak, refusals;
	uint64_t kills;   /* processes killed for lack of memory */
	uint64_t victims; /* of them, those that were measured */
	bool unseen;      /* nothing saw how one of them ended */
};

struct memory_process {
	const struct run_footprint *of;
	const struct run_memory_reading *readings;
	size_t reading_count;
	uint64_t most;   /* bytes */
	uint64_t end_ns; /* since 1970 */
	bool killed;     /* for lack of memory */
};

struct memory_use {
	const struct run *run;
	struct memory_process *at; /* by host, then rank */
	size_t count;
	struct memory_host *hosts;
	size_t host_count;
};

/* 0, or -ENOMEM with a reason. */
int memory_use_init(struct memory_use *to, const struct run *run);
void memory_use_fini(struct memory_use *use);

/*
 * Bytes that were in use where memory was short: in the control group that has
 * a limit, or on the host; *of: of how many.
 */
uint64_t memory_used(const struct memory_host *h, uint64_t *of);

/* What there is to say of processes that were killed for lack of memory. */
int memory_findings(struct report *report, const struct run *run);
