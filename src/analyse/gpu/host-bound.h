/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-bound.h - programs whose GPUs wait for their host: how long a step
 * takes, how much of it GPUs work, and what it would take if each step were
 * launched as a CUDA graph.
 */
#pragma once

#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/host-parts.h"
#include "analyse/gpu/host-steps.h"

/* Seconds and numbers of a process, the mean over those that used GPUs. */
struct host_bound {
	bool known; /* else the rest is 0 */
	bool bound; /* for much of the time GPUs had no work, for their host */
	double processes;
	struct host_steps steps; /* seconds and work: known if count is */
	double seconds; /* from the first to the last work, without start-up */
	double idle;    /* the part of it without work */
	double kernels; /* launched, and the launches' seconds: */
	double launching;
	double graphs;           /* the same */
	double waits;            /* calls that wait for GPUs */
	struct host_parts parts; /* of all processes */
	/* As graphs: the same seconds; if all that launches goes, and if only
	   the calls that launch do. */
	double graph, graph_most;
};

/* 0, or -ENOMEM with a reason; known: false where GPUs are shared. */
int host_bound_of(struct host_bound *to, const struct paths *paths);

/* "a step"; "a round of calls", of which a step may have several; "all of it".
 */
const char *host_bound_unit(const struct host_bound *of);

/* Of `seconds` of a process, that unit's. */
double host_bound_step(const struct host_bound *of, double seconds);

/*
 * "a step takes 13.0 ms (300 × train), and the GPU works for 0.80 ms of it".
 * To be freed, NULL: no memory.
 */
char *host_bound_step_text(const struct host_bound *of);

/*
 * What the host did of a step, "Python 5.10 ms (forward, train.py:31), 110
 * launches 2.90 ms": its largest parts.  To be freed, NULL: no memory.
 */
char *host_bound_parts_text(const struct host_bound *of,
			    const struct paths *paths);
