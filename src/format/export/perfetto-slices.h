/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfetto-slices.h - a trace of GPUs (--gpu-trace) as slices for Perfetto: the
 * work of each stream, the calls of CUDA of each thread, with arrows from a
 * call to the work that it began, and ranges.
 */
#pragma once

#include "format/export/perfetto-packet.h"
#include "run/run.h"

struct perfetto_slices {
	const struct run *run;
	uint64_t flows;  /* numbers of arrows begin behind it */
	uint64_t tracks; /* the last number of a track that is used */
	uint64_t shift;  /* from the trace's begin to that of the slices */
	/* Work that a call began, a list for each call: numbers + 1. */
	uint32_t *first, *next;
	bool *called; /* by work: its call is known */
};

/* 0, or -ENOMEM with a reason.  The last members are set by the caller. */
int perfetto_slices_init(struct perfetto_slices *s, const struct run *run);
void perfetto_slices_fini(struct perfetto_slices *s);

/*
 * A process; `of_thread` has the track of each of its threads by number, 0
 * where it has none.
 */
int perfetto_slices_put(struct perfetto_slices *s, struct perfetto *to,
			uint32_t process, uint64_t parent,
			const uint64_t *of_thread, size_t threads);
