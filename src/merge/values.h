/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values.h - all values of all ranks, packed: they come rank by rank, and are
 * given back node by node.
 *
 * Each node of the unified tree has, for each metric, a stream of (rank, value)
 * of some four bytes.  What does not fit into memory goes to a file without a
 * name, in blocks.
 *
 * Memory     VALUES_MEMORY, and a few hundred bytes for each node and metric.
 * Threads    values_add() is for one; values_of_node() for several, each with
 *            a buffer of its own, once all was added.
 */
#ifndef MERGE_VALUES_H
#define MERGE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "merge/run.h"

#define VALUES_MEMORY ((size_t)96 << 20)

struct values;       /* of all metrics */
struct value_stream; /* of one node */

struct value_streams { /* of one metric; all zero: none */
	struct value_stream *at;
	uint32_t *of_node; /* number in `at`, + 1; 0: the node has no value */
	size_t count, room, nodes;
};

/* What does not fit is kept in that directory, or in another. */
struct values *values_new(const char *directory, size_t memory);
void values_free(struct values *values); /* NULL is fine */

/*
 * Add one; it takes more memory when ranks decrease.  0, or -errno with a
 * reason.
 */
int values_add(struct values *values, struct value_streams *to, uint32_t node,
	       uint32_t rank, uint64_t value);

/*
 * What values_add() will touch for that node soon is asked of the memory now:
 * far ahead, where its stream is; near, the stream.  Streams are many times
 * what a cache holds.
 */
void values_prepare_far(const struct value_streams *to, uint32_t node);
void values_prepare_near(const struct value_streams *to, uint32_t node);

void value_streams_fini(struct value_streams *streams);

/* Whether the node has any. */
bool value_streams_has(const struct value_streams *streams, uint32_t node);

struct store;
struct store_column;

/*
 * Values of a run.h5 that is open, by row: in one order rows are nodes and keys
 * are ranks, in the other it is the other way round.
 */
struct value_columns {
	struct store_column *key, *value;
	const uint64_t *first; /* of a row; one more than there are rows */
	size_t rows, keys;
	struct value_part **kept; /* values_keep(); or NULL */
	size_t kept_count;
};

/*
 * What stands behind a run's metrics while their values are not in memory: the
 * streams of a merge, or the columns of a run.h5 that is open.
 */
struct source_metric {
	struct value_streams streams; /* by node of the unified tree */
	uint32_t *nodes; /* of the unified tree, by node of the run: */
	uint32_t *first; /* nodes[first[n]] … nodes[first[n + 1] - 1] */
	struct value_columns by_node, by_rank; /* no key: is not there */
	uint64_t *first_by_rank;
	struct store_column *rows; /* path-sums.h */
};

struct run_source {
	struct store *store; /* the run.h5; NULL: the streams */
	struct values *values;
	uint32_t *order;   /* of ranks as they were added: that in the run */
	size_t rank_count; /* of the run */
	struct source_metric *metrics; /* as in the run */
	size_t metric_count;
	unsigned int threads; /* to read them with, see work.h */
};

/*
 * Without values and streams; order[i] is the run's rank for process i of
 * `processes`.  NULL: out of memory.
 */
struct run_source *run_source_new(size_t metrics, const uint32_t *order,
				  size_t processes, size_t ranks);

/*
 * Fill nodes and first: became[i] is the run's node, one of `nodes`, for node i
 * of `count` of the unified tree.  0, or -ENOMEM with a reason.
 */
int source_metric_list(struct source_metric *metric, const uint32_t *became,
		       size_t count, size_t nodes);

void run_source_free(struct run_source *source); /* NULL is fine */

/*
 * One thread's memory for the values of a node; all zero at first.  Nodes that
 * are near each other, and asked for one after the other, cost least: of a
 * run.h5 some 65,000 values are read at a time.
 */
struct value_buffer {
	struct run_value *at;
	size_t room;
	uint64_t *sums; /* one for each rank */
	uint8_t *seen;
	uint8_t *block;
	size_t block_room;
	struct value_part *part; /* of a run.h5 */
};

void value_buffer_fini(struct value_buffer *buffer);

/* They are in run->metrics, or there are none. */
static inline bool values_in_memory(const struct run *run, size_t metric)
{
	return run->metrics[metric].values || !run->source;
}

/*
 * The values of a node of the run, by rank: *at is valid until the buffer's
 * next use, or in the run itself.  0, or -errno with a reason.
 *
 * Cost   Of a run.h5, the parts that hold them, of 65,536 values each: of
 * 10,240 ranks one or two, 2 ms each; nothing when the buffer has the part.
 */
int values_of_node(const struct run *run, size_t metric, size_t node,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count);

/*
 * Add what each process has in the node to sums[], one for each of the run's
 * ranks.  0, or -errno with a reason.
 */
int values_add_up(const struct run *run, const struct run_metric *metric,
		  size_t node, struct value_buffer *buffer, uint64_t *sums);

/*
 * Many nodes of the metric will be asked for, in any order: values of a run.h5
 * that were read stay in memory, 12 bytes each.
 */
void values_keep(const struct run *run, const struct run_metric *metric);

/*
 * The values of one of the run's ranks, by node: the member `rank` of what
 * comes is the node.  0, or -errno with a reason.
 *
 * Cost   In a run.h5 they stand together: one or two parts, as above.  Else,
 * and of metrics that are extremes, all values of the metric are read.
 */
int values_of_rank(const struct run *run, size_t metric, size_t rank,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count);

/* values-read.c: a row of a run.h5, into the buffer, and the buffer's end. */
int values_read(struct store *s, struct value_columns *columns, size_t row,
		struct value_buffer *buffer, size_t *count);
void value_columns_fini(struct value_columns *columns);
void value_part_free(struct value_part *part); /* NULL is fine */

/* values-file.c: the tables of a metric in run.h5, in both orders, and back. */
void values_save(struct store *s, const struct run *run, size_t metric);
void values_load(struct store *s, const struct run *run, const char *group,
		 struct run_metric *metric, struct source_metric *source);

/*
 * transpose.c: a run's values with ranks as its nodes and nodes as its ranks,
 * to be filled node by node: for values_of_node(), once first[] is made, and
 * for nothing else.  NULL: out of memory.
 */
struct run *transpose_new(const struct run *run, size_t metric);
int transpose_add(struct run *to, const uint32_t *ranks, const uint64_t *values,
		  size_t count, uint32_t node);
void transpose_finish(struct run *to);
void transpose_free(struct run *to); /* NULL is fine */

/* Where streams put what does not fit into memory. */
const char *values_directory(const struct values *values);

#endif
