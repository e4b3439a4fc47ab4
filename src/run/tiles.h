/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tiles.h - all values of all ranks, to be had by node and by rank.
 *
 * A tile is what TILE_RANKS ranks that follow one another have, metric by
 * metric, by node; each is made from the records of its ranks, where lines and
 * addresses of one context become one.  A piece of a tile is some nodes of one
 * metric, and stands in one place.  So all that some nodes have is read in one
 * piece from each tile, and all that some ranks have from one tile.
 *
 * Memory    TILES_MEMORY, a piece's place for each 32 nodes, metric and tile;
 *           and, for each thread, one tile's records.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "run/records.h"
#include "run/run.h"

#define TILES_MEMORY ((size_t)96 << 20)

enum {
	TILE_RANKS = 64,
	PIECE_NODES = 32,
};

struct tiles;

/* What the numbers in records are in the run. */
struct tiles_names {
	const uint32_t *became;    /* of each node by address: the run's node */
	const uint32_t *order;     /* of each process: the run's rank, or
				      UINT32_MAX to leave it out */
	const uint32_t *metric_of; /* of each metric: the run's */
};

/*
 * From all records, by several threads (ordered-pool.h).  Of the run's metrics,
 * first[] is made.  NULL with a reason.
 */
struct tiles *tiles_make(struct run *run, const struct records *records,
			 const struct tiles_names *names, unsigned int threads);
void tiles_free(struct tiles *tiles); /* NULL is fine */

size_t tiles_count(const struct tiles *tiles);

/* Where what does not fit into memory is put. */
const char *tiles_directory(const struct tiles *tiles);

/* As the first[] of a metric, by rank. */
const uint64_t *tiles_first_by_rank(const struct tiles *tiles, size_t metric);

/* A tile that was read; all zero at first, and used again. */
struct tile_values {
	struct run_value *at; /* row by row: */
	uint32_t *first; /* row i is at[first[i]] … at[first[i + 1] - 1] */
	size_t room, first_room;
	uint8_t *bytes;
	size_t bytes_room;
};

void tile_values_fini(struct tile_values *values);

/*
 * Nodes from … end - 1, where `from` is the first of a piece, of all ranks:
 * rows are nodes, with ranks in their order.  `metric` is one of the run that
 * the tiles were made for.  0, or -errno with a reason.
 */
int tiles_nodes(const struct tiles *tiles, const struct run *run, size_t metric,
		size_t from, size_t end, struct tile_values *to);

/*
 * The values of the ranks of a tile.  Rows are nodes, and the member `rank` of
 * a value is the rank's number in the tile; or rows are ranks, and it is the
 * node.
 */
int tile_by_node(const struct tiles *tiles, size_t metric, size_t tile,
		 struct tile_values *to);
int tile_by_rank(const struct tiles *tiles, size_t metric, size_t tile,
		 struct tile_values *to);
