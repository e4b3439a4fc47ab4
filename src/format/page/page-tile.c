/* SPDX-License-Identifier: BSD-3-Clause */
/* page-tile.c - values of some processes in some call paths, as JSON. */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "format/page/page-parts.h"
#include "format/page/page-tile.h"
#include "format/quote.h"
#include "run/path-sums.h"
#include "run/values.h"

static void begin_tile(FILE *to, const struct run_metric *metric,
		       const char *what, size_t number)
{
	fputs("{\"metric\": ", to);
	quote_json(to, metric->name);
	fprintf(to, ", \"%s\": %zu,\n\"nodes\": [", what, number);
}

static int put_tile_row(FILE *to, const struct paths *paths,
			const struct page_tile *tile, size_t i, uint64_t *row)
{
	uint32_t path = paths->of[tile->nodes[i]];
	int err = (tile->own ? path_own_row : path_row)(paths, tile->metric,
							path, row);

	fputs(i ? ",\n[" : "\n[", to);
	for (size_t r = 0; r < tile->ranks && !err; r++)
		fprintf(to, "%s%" PRIu64, r ? "," : "", row[tile->first + r]);
	fputc(']', to);
	return err;
}

int page_tile_write(FILE *to, const struct paths *paths,
		    const struct page_tile *tile)
{
	uint64_t *row = calloc(paths->run->rank_count + 1, sizeof(*row));
	int err = row ? 0 : no_memory();

	begin_tile(to, tile->metric, "first", tile->first);
	for (size_t i = 0; i < tile->node_count; i++)
		fprintf(to, "%s%" PRIu32, i ? "," : "", tile->nodes[i]);
	fputs("],\n\"values\": [", to);
	for (size_t i = 0; i < tile->node_count && !err; i++)
		err = put_tile_row(to, paths, tile, i, row);
	fputs("]}\n", to);
	free(row);
	return err;
}

int page_tile_rank(FILE *to, const struct run *run,
		   const struct run_metric *metric, size_t row)
{
	struct value_buffer buffer = { 0 };
	const struct run_value *at;
	size_t count = 0;
	int err = values_of_rank(run, (size_t)(metric - run->metrics), row,
				 &buffer, &at, &count);

	begin_tile(to, metric, "row", row);
	for (size_t i = 0, shown = 0; i < count && !err; i++)
		if (!page_leaves_out(metric, at[i].rank))
			fprintf(to, "%s%" PRIu32, shown++ ? "," : "",
				at[i].rank);
	fputs("],\n\"values\": [", to);
	for (size_t i = 0, shown = 0; i < count && !err; i++)
		if (!page_leaves_out(metric, at[i].rank))
			fprintf(to, "%s%" PRIu64, shown++ ? "," : "",
				at[i].value);
	fputs("]}\n", to);
	value_buffer_fini(&buffer);
	return err;
}

static size_t tile_groups(struct rank_group *to, size_t first, size_t ranks)
{
	size_t each = (ranks + TILE_LINES - 1) / TILE_LINES, count = 0;

	for (size_t i = 0; i < ranks; i += each)
		to[count++] = (struct rank_group){
			.first = (uint32_t)(first + i),
			.count = (uint32_t)(each < ranks - i ? each : ranks - i)
		};
	return count;
}

static int put_time_tile(FILE *to, const struct paths *paths,
			 const struct time_grid *grid)
{
	struct page_stream s;
	int err = page_stream_init(&s);

	if (!err) {
		fputs("\"page\": 1,\n", s.json);
		err = page_put_time(&s, paths, grid);
	}
	if (!err)
		err = page_stream_end(&s, to, NULL);
	page_stream_fini(&s);
	return err;
}

int page_tile_time(FILE *to, const struct paths *paths, size_t first,
		   size_t ranks, uint32_t bin, uint32_t bins)
{
	struct rank_group groups[TILE_LINES];
	const struct time_grid_choice choice = {
		.groups = groups,
		.group_count = tile_groups(groups, first, ranks),
		.first = bin,
		.bins = bins,
		.columns = TILE_COLUMNS,
		.cells = SIZE_MAX,
	};
	struct time_grid grid;
	int err = time_grid_init(&grid, paths, &choice);

	if (!err)
		err = put_time_tile(to, paths, &grid);
	time_grid_fini(&grid);
	return err;
}
