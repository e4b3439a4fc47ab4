/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * startup.h - what a program does to start, once: imports of Python, CUDA and
 * libraries that set themselves up, compilation.  Known by names
 * (startup.def), and CUDA also by the one call that took far longer than all
 * others of its place.
 */
#pragma once

#include "run/run.h"

enum startup_kind {
	STARTUP_NONE,
#define STARTUP(id, name) STARTUP_##id,
#include "run/startup.def"
#undef STARTUP
	STARTUP_KINDS
};

extern const char *const startup_names[];

/* By what this node is itself. */
enum startup_kind startup_of_node(const struct run *run, uint32_t node);

/*
 * For each node the kind that it is in, that of the outermost one; to be freed,
 * NULL with a reason.
 */
uint8_t *startup_nodes(const struct run *run);
