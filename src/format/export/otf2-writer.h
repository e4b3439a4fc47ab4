/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * otf2-writer.h - an archive while it is written: otf2-archive.c has the
 * timeline, otf2-calls.c what has exact times.
 *
 * Failure     The first is kept in `err`, and nothing that follows matters.
 */
#pragma once

#include <otf2/otf2.h>

#include "base/map.h"
#include "format/export/frames.h"
#include "format/export/operation-index.h"
#include "run/run.h"
#include "format/format.h"

struct otf2_context {
	OTF2_CallingContextRef number;
	uint32_t depth; /* of frames; 0: not known yet */
};

struct otf2_comms { /* communicators: their members by comm_rank */
	struct map numbers;
	size_t *end; /* by communicator: behind its last one */
	uint64_t *members;
	size_t count, end_room, member_count, member_room;
};

struct otf2_archive {
	const struct run *run;
	const struct run_timeline *line;
	const struct run_time_axis *axis;
	bool *chosen; /* by process */
	OTF2_Archive *archive;
	OTF2_GlobalDefWriter *defs;
	struct strings texts;
	struct map regions, places, contexts, hosts;
	struct otf2_context *context_of; /* by node */
	struct frame *frames;            /* of one */
	struct operation_index index;
	uint32_t *comm_rank; /* by process: in the communicator of all that
				are chosen; UINT32_MAX: its calls are not kept
			      */
	struct otf2_comms comms;
	uint64_t *events; /* by location */
	int err;          /* the first */
};

/*
 * Locations: rows of the timeline, then the calls of each, then iterations of
 * each process.
 */
static inline size_t otf2_calls_location(const struct otf2_archive *a,
					 size_t row)
{
	return a->line->row_count + row;
}

static inline size_t otf2_steps_location(const struct otf2_archive *a,
					 size_t process)
{
	return 2 * a->line->row_count + process;
}

static inline size_t otf2_location_count(const struct otf2_archive *a)
{
	return otf2_steps_location(a, a->run->rank_count);
}

/* Out of memory, or what the library says of a call. */
void otf2_check(struct otf2_archive *a, OTF2_ErrorCode code);

/* Numbers of what is defined when it is first asked for. */
OTF2_StringRef otf2_text(struct otf2_archive *a, const char *text);
OTF2_RegionRef otf2_region(struct otf2_archive *a, uint32_t node);

/* The number of what has that key; *fresh: it is to be defined. */
uint32_t otf2_number(struct otf2_archive *a, struct map *map, uint64_t x,
		     uint64_t y, bool *fresh);

/* otf2-calls.c: before all others, who has calls. */
void otf2_calls_begin(struct otf2_archive *a);

/* Those of a thread, at the location for them; nothing if none was kept. */
void otf2_calls(struct otf2_archive *a, size_t row);

/* The iterations of a process, alike. */
void otf2_steps(struct otf2_archive *a, uint32_t process);

/* Behind the definitions of locations: communicators, the number of a step. */
void otf2_calls_define(struct otf2_archive *a);
void otf2_comms_fini(struct otf2_comms *comms);

/*
 * Chosen ranks as a trace in the Open Trace Format 2, by the
 * library of that name: otf2-archive.c, or otf2-none.c where there was none
 * when this was built.
 */
