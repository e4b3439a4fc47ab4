/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu.h - what an adapter tells about the work of GPUs: which calls began it,
 * and, later and on any thread, when it was done.  Both are joined here, in
 * the measured process, so that the profile grows with the contexts and not
 * with the work.
 *
 * A call notes its id before the work begins.  The notes are a table of a
 * fixed size: work that is reported after 262,144 later ids is late, and
 * counted so.
 *
 * Threads   copse_gpu_note() and _failed() concern the calling thread's
 *           region; the others may be called on any thread.
 * Signals   Not to be called from handlers.
 * Failure   Nothing fails visibly; what is lost is counted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/regions/region.h"

/*
 * What will be known by `id` (not 0) is begun by the innermost region of the
 * calling thread, the adapter's own or MPI's.  While paused: it is not wanted.
 */
void copse_gpu_note(uint32_t id);

/* The same of a region that copse_region_beyond() has just entered. */
void copse_gpu_note_of(const struct region *r, uint32_t id);

/*
 * The adapter's own of each thread: the outermost call that the thread is in,
 * until it returns.  It is here because the collector is there when the program
 * starts: of a library that is loaded later each thread's part has to be asked
 * for, at each use.
 */
extern __thread struct gpu_call {
	struct region *region; /* NULL: it is not measured */
	uint64_t key, parts;   /* of it, and of calls inside: the adapter's */
	bool unified;          /* it begins to use unified memory */
	bool own;              /* the adapter calls the driver itself */
} copse_gpu_call __attribute__((tls_model("initial-exec")));

/*
 * The region's call was put into a graph that is captured: if it launches,
 * there will be no work of its own.
 */
void copse_gpu_captured(const struct region *r);

/*
 * What will be known by `id` (not 0), a node of a graph, is put there by the
 * innermost region of the calling thread: its work will stand below both that
 * and the call that launches the graph.  Of 65,536 nodes; more take the place
 * of earlier ones, whose work stands below the launch alone.
 */
void copse_gpu_origin(uint64_t id);

/* It is a copy of another, or of nothing known. */
void copse_gpu_origin_copy(uint64_t id, uint64_t of);

/* The region's call failed: what the error is called. */
void copse_gpu_failed(struct region *r, struct region_name *error);

enum {
	GPU_BRIEF_NS =
		10000 /* a shorter call says nothing of what it waited for */
};

enum gpu_waits {
	GPU_WAITS_NOT,
	GPU_WAITS_STREAM,  /* for the work of one stream */
	GPU_WAITS_DEVICE,  /* for whatever had been called for */
	GPU_WAITS_PERHAPS, /* see gpu-awaited.h */
};

/*
 * The region's call, which has been left and took GPU_BRIEF_NS at least, waited
 * for GPUs.  For which work is found out when that is reported.
 */
void copse_gpu_awaited(const struct region *r, enum gpu_waits for_what);

/* A piece of work that is done. */
struct gpu_work {
	uint32_t id;
	uint32_t kind;   /* enum live_gpu_kind */
	uint64_t origin; /* node of a graph; 0: none */
	struct region_name *name;
	uint64_t start, end; /* CLOCK_MONOTONIC */
	uint64_t bytes;
	uint32_t device, context, stream;
};

/* Many at once are cheaper than each alone. */
void copse_gpu_add(const struct gpu_work *work, size_t count);

/* A device is called so (collect/gpu/gpu-time.h); as often as is liked. */
struct gpu_device;
void copse_gpu_device(const struct gpu_device *device);

/* A reader of the live profile asks for what has ended, anew. */
bool copse_gpu_asked(void);

/* No more work will be told. */
void copse_gpu_end(void);

enum gpu_wish {
	GPU_WISH_NOTHING, /* the process is not measured */
	GPU_WISH_WORK,    /* of calls, those that begin it or wait for it */
	GPU_WISH_CALLS,   /* all but those that only ask */
	GPU_WISH_ALL,
};

/*
 * What is to be told.  The live profile is made when there is none yet: GPUs
 * are used.
 */
enum gpu_wish copse_gpu_init(const void *adapter);
bool copse_gpu_nodes(void);      /* of graphs, one by one */
void copse_gpu_take_nodes(void); /* whatever was asked for */
void copse_gpu_lost(enum loss why, uint64_t count);

/* CLOCK_MONOTONIC in ns, as all times of the collector are. */
uint64_t copse_gpu_now(void);

/* Modules whose frames stand between the program and a callback. */
void copse_gpu_pass(const void *code);

/*
 * cudaProfilerStart() or _Stop(): words for a tool that waits for them, which
 * is --from-start=off; else they say nothing.
 */
void copse_gpu_profiler(bool on);

/* Room for the notes, before all else. */
void gpu_prepare(void);
