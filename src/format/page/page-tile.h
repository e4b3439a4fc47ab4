/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page-tile.h - what a page that is served asks for beyond what it holds: exact
 * values, as JSON.
 */
#pragma once

#include <stdio.h>

#include "analyse/time/time-grid.h"
#include "run/call-paths.h"

enum {
	TILE_NODES = 16
};

struct page_tile {
	const struct run_metric *metric;
	uint32_t nodes[TILE_NODES]; /* their call paths */
	size_t node_count;
	size_t first, ranks; /* rows of the run's ranks */
	bool own;            /* without what these call */
};

/*
 * {"metric", "first", "nodes": [N, …], "values": [[of N, by process], …]}.  0,
 * or -errno with a reason.
 *
 * Cost   As path_row() for each of the nodes.
 */
int page_tile_write(FILE *to, const struct paths *paths,
		    const struct page_tile *tile);

/* {"metric", "row", "nodes": [N, …], "values": [of N alone, …]}; the same. */
int page_tile_rank(FILE *to, const struct run *run,
		   const struct run_metric *metric, size_t row);

enum {
	TILE_LINES = 256,
	TILE_COLUMNS = 1024
};

/*
 * The timeline of `ranks` rows from `first` on, in TILE_LINES lines at most:
 * bins from `bin` on, in TILE_COLUMNS columns at most.  As a page has it,
 * packed (page-stream.h).  0, or -errno with a reason.
 */
int page_tile_time(FILE *to, const struct paths *paths, size_t first,
		   size_t ranks, uint32_t bin, uint32_t bins);
