/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-reader.h - a live profile while it is read: what from-live.c, which
 * reads trees, live-mpi.c and live-gpu.c, which read what adapters keep, share.
 *
 * Failure   reader->err once memory ran out; what is damaged is counted.
 */
#pragma once

#include "base/map.h"
#include "live/layout.h"
#include "profile/profile.h"

enum {
	FREE,
	TAKEN,
	FIRST_NODE
}; /* marks; FIRST_NODE + i: node i */

/* The cubin that was begun last, and how much of it is here. */
struct reader_cubin {
	uint64_t all, have;
	size_t first; /* word */
};

struct reader {
	const char *data;
	size_t size;
	struct live_header header;
	uint32_t *marks;  /* one per unit of the file */
	size_t text_left; /* all texts together: twice the file */
	uint64_t damaged;
	struct map children; /* (parent, kind, owner; offset) to node */
	struct map comms;    /* live_ref to index */
	struct map calls;    /* node to site; (node, class) to size */
	struct map peers;    /* rank to peer */
	struct map works;    /* (node, device) to work */
	struct reader_cubin cubin;
	uint64_t launched; /* by calls of CUDA */
	struct profile *p;
	int err; /* -ENOMEM: give up */
};

/* Whether `bytes` from `ref` on are of the file. */
bool reader_inside(const struct reader *r, uint64_t ref, uint64_t bytes);

/* The record at `ref`, now ours; NULL: damaged. */
const void *reader_claim(struct reader *r, uint64_t ref, size_t bytes);

/* Where a record that was claimed stands. */
static inline live_ref reader_ref(const struct reader *r, const void *at)
{
	return (live_ref)((size_t)((const char *)at - r->data) / LIVE_UNIT);
}

void reader_no_memory(struct reader *r);

/* `array` is the address of a T *, with `count` elements: room for one more. */
bool reader_grow(struct reader *r, void *array, size_t count, size_t size);

/* A copy of a text; NULL after a failure. */
char *reader_string(struct reader *r, live_ref ref);

/*
 * Follow a list from its head.  `take` reads one record, from memory that may
 * be unaligned, and returns the reference to the next.
 */
void reader_walk(struct reader *r, live_ref ref, size_t size,
		 live_ref (*take)(struct reader *r, const void *at));

/* The unified node that a node of the file became; the root for none. */
uint32_t reader_node(struct reader *r, live_ref ref);

/* The child of a node that has this name; the node itself for none. */
uint32_t reader_named(struct reader *r, uint32_t parent, uint32_t name);

/* The node that has the frames of `path` below that parent. */
uint32_t reader_below(struct reader *r, uint32_t parent, uint32_t path);

/* The node below which paths end early, for that reason (enum loss). */
uint32_t reader_partial(struct reader *r, uint32_t why);

/* All records of a list of chunks. */
void reader_chunks(struct reader *r, live_ref ref, size_t size, uint32_t thread,
		   void (*take)(struct reader *r, uint32_t thread,
				const void *at));

/* A value of ours, by name: the numbers of metrics are the file's. */
void reader_metric(struct reader *r, uint32_t node, uint32_t thread,
		   enum metric metric, uint64_t number);

/* One value of a node. */
void reader_value(struct reader *r, uint32_t node, uint32_t thread,
		  const struct live_cell *cell);

/*
 * live-mpi.c: the struct live_call of a node; what else a thread keeps of MPI,
 * once its tree was read; and the order of all that, at the end.
 */
void reader_call(struct reader *r, uint32_t node, uint32_t thread,
		 uint64_t ref);
void reader_mpi(struct reader *r, uint32_t thread, const struct live_thread *t);
void reader_mpi_order(struct profile *p);

/*
 * live-steps.c: the stamps of a node's calls; and, at the end, which of them
 * are kept.
 */
void reader_stamps(struct reader *r, uint32_t node, uint32_t thread,
		   const struct live_call *call);
void reader_steps(struct reader *r);

/*
 * live-lines.c: what is called from several lines of a function in turns, of
 * all contexts; the number of them.
 */
enum {
	STEPS_OF_LINES = 8
};
size_t reader_lines(struct reader *r, struct profile_step to[STEPS_OF_LINES]);

/*
 * live-gpu.c: the calls of CUDA of a node; and, once all trees were read, what
 * GPUs did.
 */
void reader_gpu_call(struct reader *r, uint32_t node, uint32_t thread,
		     const struct live_call *call);
void reader_gpu(struct reader *r);

/* live-end.c: how the process ended, where that is known. */
void reader_end(struct reader *r);

/* live-power.c: what was read of power, once devices are known. */
void reader_power(struct reader *r);

/* live-gpu-tables.c: what else there is of GPUs, then; live-pcs.c: samples. */
void reader_facts(struct reader *r);
void reader_pcs(struct reader *r);
/*
 * live-device.c: devices, streams and when they worked; what a node had a
 * device do; and the order of that, at the end.
 */
void reader_devices(struct reader *r);
void reader_pieces(struct reader *r);
void reader_work(struct reader *r, uint32_t node, uint32_t device,
		 uint64_t count, uint64_t ns);
void reader_device_order(struct profile *p);
