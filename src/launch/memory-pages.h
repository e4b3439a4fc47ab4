/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory-pages.h - which pages hold the memory of a process: huge ones, and
 * those of NUMA nodes that it may not run on.
 *
 * The kernel walks all pages for that: to be read rarely.
 */
#pragma once

#include <stdint.h>

struct memory_pages {
	uint64_t huge; /* bytes */
	uint64_t far;  /* bytes; 0 as well where there is one node */
};

/* `process`: its folder, "/proc/123"; `nodes`: "/sys/devices/system/node". */
void memory_pages_read(struct memory_pages *to, const char *process,
		       const char *nodes);
