/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * slice-view.h - a part of the time of a trace of GPUs (--gpu-trace): which
 * rows are in it, when devices had nothing to do there, and which communication
 * was hidden by other kernels.
 *
 * Ownership   The run must outlive it.
 * Failure     -ENOMEM with a reason.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"

struct slice_span { /* of a process; from = until: nothing */
	uint64_t from, until;
};

struct slice_view {
	const struct run *run;
	struct slice_span *of; /* by process */
	struct slice_span all; /* from the first to the last of them */
	char *what;            /* "Train step 17"; NULL: all that is kept */
};

/*
 * `window`: NULL, all that is kept; "1.25-1.30", seconds from the start of the
 * run; "iteration:3-5"; a range by its own name, or "NAME:3-5", those of it
 * that are kept, # being any number.  Else -EINVAL with a reason: there is no
 * such.
 */
int slice_view_init(struct slice_view *view, const struct run *run,
		    const char *window);
void slice_view_fini(struct slice_view *view);

/* So much of start_ns … start_ns + ns is in it. */
uint64_t slice_view_part(const struct slice_view *view, uint32_t rank,
			 uint64_t start_ns, uint64_t ns);

/* Work overlaps it, or begins and ends there at once. */
bool slice_view_has(const struct slice_view *view,
		    const struct run_slice *work);

/*
 * slice-gaps.c: when a device of a process had no work of it, between two
 * pieces of work.
 */

struct slice_gap {
	const struct run_slice *before, *after;
	uint64_t from, ns;
	/* What the thread that launched `after` was in for the longest, until
	   it did; NULL: in no call of CUDA. */
	const struct run_slice_call *call;
	uint64_t call_ns;
	const struct run_slice_range *range; /* innermost, then; or NULL */
	bool queued; /* it was launched before the device ran out of work */
};

/* The longest first; to be freed. */
int slice_gaps(const struct slice_view *view, struct slice_gap **to,
	       size_t *count);

/* What the host did in one of them. */
void slice_gap_explain(const struct slice_view *view, struct slice_gap *gap);

/*
 * slice-overlap.c: kernels of communication, by name or collective function.
 */

struct slice_message {
	const struct run_slice *first; /* of these */
	uint64_t count, ns, hidden_ns; /* other kernels ran on the device */
	uint64_t bytes;
};

/* The most time first; to be freed. */
int slice_messages(const struct slice_view *view, struct slice_message **to,
		   size_t *count);

/* "ncclAllReduce", "HtoD", else the kernel's name. */
const char *slice_name(const struct run *run, const struct run_slice *work);
