/* SPDX-License-Identifier: BSD-3-Clause */
/* phase.h - phases of the program (copse.h), nested in each thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "live/layout.h"

enum {
	PHASES_OPEN = 16 /* nested ones that are told apart */
};

struct phase_span {       /* an open phase */
	live_ref outside; /* the root that it replaced */
	live_ref node;    /* 0: there was no memory for it */
	uint64_t start_ns, start_paused_ns;
	uint64_t inner_ns; /* of it, in phases inside */
	uint64_t gpu;      /* gpu-spans.h; 0: none */
	bool counted;      /* it began while it was measured */
	bool marks;        /* it is one of --iterations */
};

struct phases {
	uint32_t count; /* open ones; more than fit are only counted */
	uint32_t asked; /* with that of phase_steer(); 0: it is not open */
	bool own;       /* the thread had one */
	struct phase_span spans[PHASES_OPEN];
};

/*
 * The name of a phase or a range, kept for the life of the process; NULL: no
 * memory.  More than a few names that differ in digits are one, "step #", and
 * then those before are called so, too.
 */
struct region_name;
struct region_name *phase_name(const char *text);

/*
 * A phase, copse_begin(), that is a kernel of a programming model: what runs on
 * a GPU for it is called by that name, in place of a template's.
 */
void copse_phase_begin_kernel(const char *text);

/*
 * The user begins a phase of the calling thread, or ends it by "".  It is
 * inside of the program's phases that are open, and ends with these at the
 * latest. False: the one before cannot end yet, others are open inside.
 */
bool phase_steer(const char *text);
