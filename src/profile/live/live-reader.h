/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * live-reader.h - a section of a live profile, such as what MPI's wrappers or
 * GPUs keep there, and what it is read with: one file, live-NAME.c, that
 * defines `section_NAME`, and its word in LIVE_SECTIONS of local.mk.  Each hook
 * may be NULL.  They are called in the order of that list.
 *
 * Failure   reader->err once memory ran out; what is damaged is counted.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

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

struct live_section {
	/* Before threads and their trees are read. */
	void (*begin)(struct reader *r);
	/* A node of a thread has a record of calls. */
	void (*call)(struct reader *r, uint32_t node, uint32_t thread,
		     const struct live_call *call);
	/* A thread, whose tree was read. */
	void (*thread)(struct reader *r, uint32_t thread,
		       const struct live_thread *t);
	/* All trees were read: what the header leads to. */
	void (*tables)(struct reader *r);
	/* All was read: sort, choose what is kept. */
	void (*order)(struct reader *r);
};

/* live-reader.c */

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

/* A copy of a text, "" for none; it may hold zeros.  NULL after a failure. */
char *reader_text(struct reader *r, live_ref ref, size_t *length);
char *reader_string(struct reader *r, live_ref ref);

/* What a fixed field holds, always ended. */
void reader_fixed_text(char *to, size_t to_size, const char *from,
		       size_t from_size);

/*
 * Follow a list from its head.  `take` reads one record, from memory that may
 * be unaligned, and returns the reference to the next.
 */
void reader_walk(struct reader *r, live_ref ref, size_t size,
		 live_ref (*take)(struct reader *r, const void *at));

/* All records of a list of chunks. */
void reader_chunks(struct reader *r, live_ref ref, size_t size, uint32_t thread,
		   void (*take)(struct reader *r, uint32_t thread,
				const void *at));

/* A value of ours, by name: numbers of metrics are the file's. */
void reader_metric(struct reader *r, uint32_t node, uint32_t thread,
		   enum metric metric, uint64_t number);

/* One value of a node. */
void reader_value(struct reader *r, uint32_t node, uint32_t thread,
		  const struct live_cell *cell);

/* live-nodes.c */

/* The unified node for one of a thread's, whose parent was read. */
uint32_t reader_unify(struct reader *r, const struct live_node *n);

/* The unified node that a node of the file became; the root for none. */
uint32_t reader_node(struct reader *r, live_ref ref);

/* What class its name is of; LIVE_NAME_MPI: it has none. */
enum live_name_class reader_class(const struct reader *r, uint32_t node);

/* The child of a node that has this name; the node itself for none. */
uint32_t reader_named(struct reader *r, uint32_t parent, uint32_t name);

/* The node that has the frames of `path` below that parent. */
uint32_t reader_below(struct reader *r, uint32_t parent, uint32_t path);

/* The node below which paths end early, for that reason (enum loss). */
uint32_t reader_partial(struct reader *r, uint32_t why);

/* live-gpu.c: the node of what a GPU did, by its first members. */
uint32_t reader_gpu_node(struct reader *r, const struct live_gpu *g);

/* live-pieces.c: work of devices that was not added up yet. */
void reader_pieces(struct reader *r);

/* live-device.c: what a node had a device do. */
void reader_work(struct reader *r, uint32_t node, uint32_t device,
		 uint64_t count, uint64_t ns);

/*
 * live-lines.c: what is called from several lines of a function in turns, of
 * all contexts; the number of them.
 */
enum {
	STEPS_OF_LINES = 8
};
size_t reader_lines(struct reader *r, struct profile_step to[STEPS_OF_LINES]);

/*
 * live-heap.c: by how much values grow from one to the next, which have equal
 * distances; 0: not, or not steadily, or there are too few.  The first quarter
 * may be otherwise.
 */
double reader_growth(const double *at, size_t count);

/* python-lines.c: source lines of the bytecode of Python. */

/*
 * The line of the instruction that begins `at` bytes into a function, by its
 * first line and its table, as that version of Python has it: co_linetable from
 * 3.11 on (Objects/locations.md) and of 3.10 (Objects/lnotab_notes.txt), before
 * that co_lnotab; 0: it has none.  Below 0, where the table ends early or is
 * damaged: the first line.
 */
uint32_t python_line(uint32_t version, const uint8_t *table, size_t size,
		     uint32_t first, int64_t at);
