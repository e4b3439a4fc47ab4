/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * values.h - all values of all ranks, wherever they are: in memory, in a
 * run.h5 that is open, or, while it is made, in tiles.
 *
 * Threads    values_of_node() and values_of_rank() are for several, each with
 *            a buffer of its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "run/run.h"
#include "run/tiles.h"

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
 * The source of a run's metrics while their values are not in memory: what
 * a merge has read, or the columns of a run.h5 that is open.
 */
struct source_metric {
	/* Of a merge: nodes parts[i] … parts[i + 1] - 1 are unpacked at once.
	 */
	uint32_t *parts;
	size_t part_count;
	/* Of a run.h5: */
	struct value_columns by_node, by_rank; /* no key: is not there */
	uint64_t *first_by_rank;
	struct store_column *rows; /* path-sums.h */
};

struct run_source {
	struct store *store;                  /* the run.h5; NULL: */
	struct records *records;              /* before values_arrange(), … */
	uint32_t *became, *order, *metric_of; /* … with what tiles.h says … */
	size_t process_count;
	struct tiles *tiles;           /* … and after it */
	struct source_metric *metrics; /* as in the run */
	size_t metric_count;
	unsigned int threads; /* to read them with, see ordered-pool.h */
};

/*
 * Of a merge: became[], order[] and metric_of[] are what tiles.h says, of so
 * many nodes, processes and metrics; they are copied.  NULL: out of memory.
 */
struct run_source_names {
	const uint32_t *became, *order, *metric_of;
	size_t nodes, processes, metrics;
};
struct run_source *run_source_new(size_t metrics,
				  const struct run_source_names *names);

void run_source_free(struct run_source *source); /* NULL is fine */

/*
 * From now on values can be asked for: the run has its nodes, ranks and
 * metrics, of which this makes first[].  0, or -errno with a reason.
 */
int values_arrange(struct run *run);

/*
 * All nodes of the run in parts that had better be asked for by one thread, one
 * node after the other.
 */
size_t values_part_count(const struct run *run, size_t metric);
void values_part(const struct run *run, size_t metric, size_t part,
		 size_t *from, size_t *end);

/*
 * One thread's memory for the values of a node; all zero at first.  Nodes that
 * are near each other, and asked for one after the other, cost least: of a
 * run.h5 some 65,000 values are read at a time.
 */
struct value_buffer {
	struct run_value *at;
	size_t room;
	struct value_part *part; /* of a run.h5 */
	struct tile_values tile; /* of tiles: */
	const struct source_metric *tile_of;
	size_t tile_number;
	bool tile_is_by_rank;
};

void value_buffer_fini(struct value_buffer *buffer);
/* Room for `room` values.  0, or -ENOMEM with a reason. */
int value_buffer_reach(struct value_buffer *buffer, size_t room);

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
 * Of a merge, values_part(), if that is not what the last one was of.
 */
int values_of_node(const struct run *run, size_t metric, size_t node,
		   struct value_buffer *buffer, const struct run_value **at,
		   size_t *count);

/*
 * Add what each process has in the node to sums[], one for each of the run's
 * ranks: nothing where the metric leaves it out (struct run_idle).  0, or
 * -errno with a reason.
 */
int values_add_up(const struct run *run, const struct run_metric *metric,
		  size_t node, struct value_buffer *buffer, uint64_t *sums);

/*
 * Many nodes of the metric will be asked for, in any order: the first values of
 * a run.h5 stay in memory when they were read, 12 bytes each, up to 96 MiB of
 * them; until values_release(), or as long as the run.
 */
void values_keep(const struct run *run, const struct run_metric *metric);
void values_release(const struct run *run, const struct run_metric *metric);

/*
 * The values of one of the run's ranks, by node: the member `rank` of what
 * comes is the node.  0, or -errno with a reason.
 *
 * Cost   In a run.h5 they are adjacent: one or two parts, as above.  Of a
 * merge, what 64 ranks have, if that is not what the last one was of.  Else,
 * and of a run.h5's metrics that are extremes, all values of the metric are
 * read.
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
 * transpose.c: a run in memory whose nodes are the ranks of this one, and whose
 * ranks are its nodes, with values of the metric.  NULL with a reason.
 */
struct run *transpose(const struct run *run, size_t metric);
