/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perfetto-packet.h - packets of a trace for Perfetto: tracks, slices, instants
 * and counters, with names and call stacks that are written once (TrackEvent
 * of google/perfetto's protos/perfetto/trace).
 *
 * Ownership   The paths must outlive it.
 * Failure     Out of memory is kept in `out`: blob_error().
 */
#pragma once

#include "base/blob.h"
#include "run/call-paths.h"

/* Annotations of events, in the order of their numbers. */
#define PERFETTO_NOTES(NOTE)                                                   \
	NOTE(CPU, "cpu.time ns")                                               \
	NOTE(WALL, "wall.time ns")                                             \
	NOTE(MPI, "mpi.time ns")                                               \
	NOTE(GPU, "gpu.time ns")                                               \
	NOTE(TIME, "time ns")                                                  \
	NOTE(MOMENTS, "samples")                                               \
	NOTE(WAITED, "waited in all ns")                                       \
	NOTE(WAITED_HERE, "waited ns")                                         \
	NOTE(OPERATIONS, "operations")                                         \
	NOTE(BYTES, "bytes")                                                   \
	NOTE(DELAY, "from its call ns")

enum perfetto_note {
	PERFETTO_NO_NOTE,
#define NOTE(id, name) PERFETTO_##id,
	PERFETTO_NOTES(NOTE)
#undef NOTE
};

struct perfetto {
	const struct paths *paths;
	struct blob out; /* the trace so far */
	struct blob packet, event, part, inner, stack;
	struct strings texts; /* names that have their numbers */
	struct map frames, modules;
	bool *stacked;   /* by path: its call stack is known */
	uint32_t *chain; /* a path and its callers */
	bool begun;
	unsigned int noted; /* bits of enum perfetto_note */
};

int perfetto_init(struct perfetto *p, const struct paths *paths);
void perfetto_fini(struct perfetto *p);

/* Tracks; their ids are the caller's.  parent 0: none. */
void perfetto_process(struct perfetto *p, uint64_t track, uint64_t pid,
		      const char *name);
void perfetto_thread(struct perfetto *p, uint64_t track, uint64_t parent,
		     uint64_t pid, uint64_t tid, const char *name);
void perfetto_track(struct perfetto *p, uint64_t track, uint64_t parent,
		    const char *name);
void perfetto_counter_track(struct perfetto *p, uint64_t track, uint64_t parent,
			    const char *name, const char *unit);

/*
 * Events, in the order of their time on each track.  perfetto_note(),
 * perfetto_stack() and perfetto_flow() may come before perfetto_begin() and
 * perfetto_instant(), and say more of it.  flow: `ends`: an arrow ends here,
 * else it begins.
 */
void perfetto_begin(struct perfetto *p, uint64_t track, uint64_t ns,
		    const char *name);
void perfetto_end(struct perfetto *p, uint64_t track, uint64_t ns);
void perfetto_count(struct perfetto *p, uint64_t track, uint64_t ns,
		    uint64_t value);

void perfetto_note(struct perfetto *p, enum perfetto_note note, uint64_t value);
void perfetto_stack(struct perfetto *p, uint32_t path);
void perfetto_flow(struct perfetto *p, uint64_t flow, bool ends);
void perfetto_instant(struct perfetto *p, uint64_t track, uint64_t ns,
		      const char *name);
