/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * standstill.h - time at the end of processes in which nothing was completed:
 * of those that were ended by others, as in a job that hung.
 */
#pragma once

#include "run/run.h"

struct standstill {
	double never_ns;     /* in a call of MPI that did not return */
	uint32_t never_node; /* the context of that call; 0: none */
	double still_ns;     /* since it returned from one, but no longer than
				any rank was in such a call */
};

/* Of each process, by malloc; NULL, with a reason: no memory. */
struct standstill *standstill_of(const struct run *run);
