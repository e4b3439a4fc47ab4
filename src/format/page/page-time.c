/* SPDX-License-Identifier: BSD-3-Clause */
/* page-time.c - the timeline and the iterations of a run, for a page. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/paths/own-paths.h"
#include "base/err.h"
#include "format/page/page-parts.h"
#include "run/split.h"

/*
 * The timeline.
 */

static void put_time_lines(struct page_stream *s, const struct time_grid *g)
{
	const struct time_grid_line *l = g->lines;
	size_t count = g->line_count;

	PAGE_COLUMN(s, "time.first", PAGE_DELTA, count, l[i].ranks.first);
	PAGE_COLUMN(s, "time.count", PAGE_VARINT, count, l[i].ranks.count);
	PAGE_COLUMN(s, "time.kind", PAGE_U8, count, l[i].kind);
	PAGE_COLUMN(s, "time.number", PAGE_VARINT, count, l[i].number);
	PAGE_COLUMN(s, "time.threads", PAGE_VARINT, count, l[i].threads);
}

/* What a cell's sums are divided by: then they are 255ths of the cell. */
static uint32_t whole_of_line(const struct time_grid *g,
			      const struct time_grid_line *line)
{
	return line->threads * g->each;
}

/* What division leaves goes to the next cell, so that lines keep their sums. */
static void put_time_part(struct page_stream *s, const struct time_grid *g,
			  const char *name, int part)
{
	const uint32_t *value = g->values[part];
	char array[32];

	snprintf(array, sizeof(array), "time.%s", name);
	page_array(s, array, PAGE_VARINT);
	for (size_t l = 0; l < g->line_count; l++) {
		uint32_t whole = part == TIME_GRID_moments
					 ? 1
					 : whole_of_line(g, &g->lines[l]);
		uint64_t carry = 0;

		for (uint32_t c = 0; c < g->columns; c++) {
			carry += *value++;
			page_number(s, carry / whole);
			carry %= whole;
		}
	}
	page_array_end(s);
	snprintf(array, sizeof(array), "time.sum.%s", name);
	PAGE_COLUMN(s, array, PAGE_VARINT, g->line_count,
		    g->lines[i].sums[part]);
}

/* What is in a path is never nothing. */
static uint64_t weight_of_path(const struct time_grid *g, size_t cell,
			       uint32_t weight)
{
	uint32_t whole = whole_of_line(g, &g->lines[cell / g->columns]);
	uint64_t shown = ((uint64_t)weight + whole / 2) / whole;

	return shown ? shown : 1;
}

/*
 * The nodes of paths, the first of all cells first, and of those that reports
 * say their time is of.  A path's place in by_number[] is numbers[path] - 1.
 */
static void put_time_nodes(struct page_stream *s, const struct paths *paths,
			   const struct time_grid *g, uint32_t *numbers,
			   uint32_t *by_number)
{
	size_t known = 0;

	for (size_t at = 0; at < g->path_count; at++) {
		uint32_t path = g->at[at].path;

		if (numbers[path])
			continue;
		by_number[known++] = path;
		numbers[path] = (uint32_t)known;
	}
	PAGE_COLUMN(s, "time.nodes", PAGE_VARINT, known,
		    paths->at[by_number[i]].node);
	PAGE_COLUMN(s, "time.own", PAGE_VARINT, known,
		    paths->at[paths_own(paths, by_number[i])].node);
}

/* Paths by their number in time.nodes. */
static int put_time_paths(struct page_stream *s, const struct paths *paths,
			  const struct time_grid *g)
{
	size_t cells = g->line_count * g->columns, at = 0;
	uint32_t *numbers = calloc(paths->count + 1, 2 * sizeof(*numbers));

	if (!numbers)
		return no_memory();
	put_time_nodes(s, paths, g, numbers, numbers + paths->count + 1);
	PAGE_COLUMN(s, "time.paths", PAGE_VARINT, cells,
		    g->ends[i] - (i ? g->ends[i - 1] : 0));
	PAGE_COLUMN(s, "time.path", PAGE_VARINT, g->path_count,
		    numbers[g->at[i].path] - 1);
	page_array(s, "time.weight", PAGE_VARINT);
	for (size_t cell = 0; cell < cells; cell++)
		for (; at < g->ends[cell]; at++)
			page_number(s,
				    weight_of_path(g, cell, g->at[at].weight));
	page_array_end(s);
	free(numbers);
	return 0;
}

/* When each part of the split was: the parts one after another. */
static int put_time_split(struct page_stream *s, const struct time_grid *g)
{
	const struct run_split *of = &g->run->split;
	size_t cells = (size_t)SPLIT_PARTS * g->columns;
	uint64_t *ns = calloc(cells, sizeof(*ns));

	if (!ns)
		return no_memory();
	for (size_t i = 0; i < of->bin_count; i++) {
		uint32_t bin = of->bins[i].bin - g->first;

		if (bin < g->bins)
			ns[of->bins[i].part * g->columns + bin / g->each] +=
				of->bins[i].ns;
	}
	PAGE_COLUMN(s, "time.split", PAGE_VARINT, cells, ns[i]);
	free(ns);
	return 0;
}

/* Bytes of all files that were moved in each column, by all hosts. */
static int put_time_bytes(struct page_stream *s, const struct time_grid *g)
{
	const struct run_io *io = &g->run->io;
	double width = (double)g->run->timeline.axes->width_ns * g->each;
	double first = (double)g->first / g->each;
	double *bytes = calloc(g->columns, 2 * sizeof(*bytes));
	double *written = bytes ? bytes + g->columns : NULL;

	if (!bytes)
		return no_memory();
	for (size_t i = 0; i < io->bin_count; i++) {
		const struct run_io_bin *b = &io->bins[i];
		double begin = (double)b->ns / width - first;
		double end = begin + (double)b->width_ns / width;

		for (uint32_t c = begin > 0 ? (uint32_t)begin : 0;
		     c < g->columns && c < end; c++) {
			double part = (fmin(end, c + 1) - fmax(begin, c)) /
				      (end - begin);

			bytes[c] += part * (double)b->read;
			written[c] += part * (double)b->written;
		}
	}
	PAGE_COLUMN(s, "time.read", PAGE_VARINT, g->columns, round(bytes[i]));
	PAGE_COLUMN(s, "time.written", PAGE_VARINT, g->columns,
		    round(written[i]));
	free(bytes);
	return 0;
}

int page_put_time(struct page_stream *s, const struct paths *paths,
		  const struct time_grid *g)
{
	const struct run_timeline *t = &paths->run->timeline;
	int err;

	if (!g->line_count)
		return 0;
	fprintf(s->json,
		"\"timeline\": {\"width\": %" PRIu64 ", \"first\": %u, "
		"\"bins\": %u, \"each\": %u, \"columns\": %u, \"all\": %u, "
		"\"level\": %u},\n",
		t->axes->width_ns, g->first, g->bins, g->each, g->columns,
		t->axes->bins, paths->run->waits.joined.level);
	put_time_lines(s, g);
#define PART(name) put_time_part(s, g, #name, TIME_GRID_##name);
	TIME_GRID_PARTS(PART)
#undef PART
	err = put_time_split(s, g);
	if (!err)
		err = put_time_bytes(s, g);
	return err ? err : put_time_paths(s, paths, g);
}

/*
 * Iterations.
 */

static uint64_t us_of(double seconds)
{
	return page_whole(round(seconds * 1e6));
}

static void put_step_columns(struct page_stream *s, const struct paths *paths,
			     const struct step_grid *g)
{
	const struct step_grid_column *c = g->columns;
	size_t count = g->column_count;

	PAGE_COLUMN(s, "step.number", PAGE_DELTA, count, c[i].number);
	PAGE_COLUMN(s, "step.count", PAGE_VARINT, count, c[i].count);
	PAGE_COLUMN(s, "step.begin", PAGE_DELTA, count, us_of(c[i].begins));
	PAGE_COLUMN(s, "step.median", PAGE_DELTA, count, us_of(c[i].median));
	PAGE_COLUMN(s, "step.outlier", PAGE_U8, count, c[i].outlier);
	PAGE_COLUMN(s, "step.node", PAGE_VARINT, count,
		    paths->at[c[i].path].node);
}

void page_put_steps(struct page_stream *s, const struct paths *paths,
		    const struct step_grid *g)
{
	const struct step_grid_line *l = g->lines;
	const struct step_grid_cell *cell = g->cells;
	const struct step_times *t = &g->times;
	size_t cells = g->line_count * g->column_count;

	if (!g->line_count)
		return;
	fprintf(s->json,
		"\"iterations\": {\"node\": %u, \"marked\": %s, "
		"\"count\": %" PRIu64 ", \"usual\": %" PRIu64
		", \"end\": %" PRIu64 "},\n",
		t->step->node, t->step->marked ? "true" : "false",
		t->step->iterations, us_of(t->usual), us_of(t->end));
	PAGE_COLUMN(s, "step.first", PAGE_DELTA, g->line_count,
		    l[i].ranks.first);
	PAGE_COLUMN(s, "step.ranks", PAGE_VARINT, g->line_count,
		    l[i].ranks.count);
	PAGE_COLUMN(s, "step.threads", PAGE_VARINT, g->line_count,
		    l[i].end - l[i].begin);
	put_step_columns(s, paths, g);
	PAGE_COLUMN(s, "step.us", PAGE_VARINT, cells, cell[i].us);
	PAGE_COLUMN(s, "step.mpi", PAGE_VARINT, cells, cell[i].mpi_us);
	PAGE_COLUMN(s, "step.gpu", PAGE_VARINT, cells, cell[i].gpu_us);
	/* Of one rank in one iteration they are the sums. */
	if (cells == t->count * paths->run->iterations.rank_count)
		return;
	PAGE_COLUMN(s, "step.most", PAGE_VARINT, cells, cell[i].most);
	PAGE_COLUMN(s, "step.own", PAGE_VARINT, cells, cell[i].own);
}
