/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flow.h - where an instruction, read by capstone, leads.
 *
 * FLOW_ARCH, FLOW_MODE   what cs_open() is to be told
 */
#pragma once

#include <capstone/capstone.h>
#include <stdint.h>

enum flow {
	GOES_ON,
	CALLS,    /* a known function, and goes on if that returns */
	BRANCHES, /* to its target, or goes on */
	JUMPS,    /* to its target */
	JUMPS_ANYWHERE,
	ENDS,
	PADDING /* does nothing: behind one of the last three, never executed */
};

/* *target: where a CALLS, BRANCHES or JUMPS leads. */
static inline enum flow flow_of(const cs_insn *i, uint64_t *target);

#include "flow-inline.h"
