/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * time-strips.c - rank by time: which call path each rank was in when.
 *
 * Each of the paths that matter gets a letter, upper case inside MPI; what is
 * below it and has none of its own is shown with it.  A line is a thread, or
 * several ranks together; readers see as many columns as there is room for.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/paths.h"
#include "analyse/split/time-split.h"
#include "base/comparison.h"
#include "base/err.h"

#define LEAST_LETTER 0.01 /* of all time: so much a path has, to get one */
#define LINES        32   /* of the strips */
#define IDLE         0.01 /* of the time: threads that worked less */
#define OFF_CORE     0.25 /* of it: so much is worth a word */

enum {
	LETTERS = 20,
	NO_LETTER = '.',
	NOTHING = ' '
};

struct strip_path {           /* of one path */
	double ns;            /* without the paths below it */
	uint32_t first, last; /* bins */
	char letter;
	bool seen;
};

struct strips {
	const struct run *run;
	const struct run_timeline *line;
	const struct run_time_axis *axis;
	struct paths paths;
	struct time_split split;
	struct strip_path *at;             /* by path */
	uint32_t lettered[LETTERS], count; /* the longest first */
	double ns;                         /* of all cells */
	double *sums;                      /* by letter, of one bin of a line */
	double *drawn;                     /* a line: letters, by bin */
};

static const struct run_time_cell *
cell_of(const struct strips *s, const struct run_time_row *row, uint32_t bin)
{
	if (bin < row->first_bin || bin - row->first_bin >= row->cells)
		return NULL;
	return &s->line->cells[row->first + bin - row->first_bin];
}

static double width_of_bin(const struct strips *s)
{
	return (double)s->axis->width_ns / 1e9;
}

static double share_of_cell(unsigned int value)
{
	return value / (double)RUN_TIME_WHOLE;
}

/*
 * Letters.
 */

static void see_cell(struct strips *s, const struct run_time_cell *cell,
		     uint32_t bin)
{
	struct strip_path *at = &s->at[s->paths.of[cell->node]];

	at->ns += cell->known;
	s->ns += cell->known;
	if (!at->seen || bin < at->first)
		at->first = bin;
	if (!at->seen || bin > at->last)
		at->last = bin;
	at->seen = true;
}

static void see_cells(struct strips *s)
{
	for (size_t i = 0; i < s->line->row_count; i++) {
		const struct run_time_row *row = &s->line->rows[i];

		for (uint32_t c = 0; c < row->cells; c++) {
			const struct run_time_cell *cell =
				&s->line->cells[row->first + c];

			if (row->kind != RUN_TIME_GPU && cell->known)
				see_cell(s, cell, row->first_bin + c);
		}
	}
}

static bool is_free_letter(const struct strips *s, char letter)
{
	for (uint32_t i = 0; i < s->count; i++)
		if (s->at[s->lettered[i]].letter == letter)
			return false;
	return true;
}

/* The first of its name that no other path has, else any. */
static char letter_for(const struct strips *s, uint32_t path)
{
	uint32_t node = s->paths.at[path].node;
	const char *name = paths_function(s->run, node);
	bool mpi = s->run->nodes[node].kind == RUN_MPI;

	if (!strncasecmp(name, "MPI_", 4))
		name += 4;
	for (; *name && *name != '('; name++) {
		unsigned char c = (unsigned char)*name;
		char letter = (char)(mpi ? toupper(c) : tolower(c));

		if (c < 0x80 && isalpha(c) && is_free_letter(s, letter))
			return letter;
	}
	for (char letter = mpi ? 'A' : 'a';; letter++)
		if (is_free_letter(s, letter))
			return letter;
}

static void choose_letters(struct strips *s)
{
	while (s->count < LETTERS) {
		uint32_t best = 0;

		for (uint32_t i = 0; i < s->paths.count; i++)
			if (!s->at[i].letter && s->at[i].ns > s->at[best].ns)
				best = i;
		if (s->at[best].letter ||
		    s->at[best].ns <= s->ns * LEAST_LETTER)
			return;
		s->at[best].letter = letter_for(s, best);
		s->lettered[s->count++] = best;
	}
}

/* Its own, or that of the nearest caller that has one. */
static char letter_of(const struct strips *s, uint32_t node)
{
	uint32_t path = s->paths.of[node];

	while (path && !s->at[path].letter)
		path = s->paths.at[path].parent;
	return s->at[path].letter ? s->at[path].letter : NO_LETTER;
}

/*
 * Lines.
 */

/* How busy a GPU was, as a strip of heat has it. */
static char letter_of_gpu(double busy)
{
	return busy < 0.01   ? NOTHING
	       : busy < 0.25 ? '.'
	       : busy < 0.5  ? ':'
	       : busy < 0.75 ? '+'
			     : '#';
}

/* The letter that has most of the bin in rows first … end - 1. */
static char letter_of_bin(struct strips *s, size_t first, size_t end,
			  uint32_t bin)
{
	char best = NOTHING;
	double gpu = 0;

	memset(s->sums, 0, (CHAR_MAX + 1) * sizeof(*s->sums));
	for (size_t i = first; i < end; i++) {
		const struct run_time_row *row = &s->line->rows[i];
		const struct run_time_cell *cell = cell_of(s, row, bin);

		if (!cell || row->kind != s->line->rows[first].kind)
			continue;
		if (row->kind == RUN_TIME_GPU)
			gpu += share_of_cell(cell->gpu);
		else if (cell->known)
			s->sums[(int)letter_of(s, cell->node)] += cell->known;
	}
	if (s->line->rows[first].kind == RUN_TIME_GPU)
		return letter_of_gpu(gpu / (double)(end - first));
	for (int c = 0; c <= CHAR_MAX; c++)
		if (s->sums[c] > s->sums[(int)best])
			best = (char)c;
	return best;
}

struct strip_sums { /* of a line, seconds */
	double known, busy, mpi, wait, io, gpu;
};

static struct strip_sums sums_of_line(const struct strips *s, size_t first,
				      size_t end)
{
	struct strip_sums sums = { 0 };
	double unit = width_of_bin(s) / RUN_TIME_WHOLE;

	for (size_t i = first; i < end; i++) {
		const struct run_time_row *row = &s->line->rows[i];

		if (row->kind != s->line->rows[first].kind)
			continue;
		for (uint32_t c = 0; c < row->cells; c++) {
			const struct run_time_cell *cell =
				&s->line->cells[row->first + c];

			sums.known += unit * cell->known;
			sums.busy += unit * cell->busy;
			sums.mpi += unit * cell->mpi;
			sums.wait += unit * cell->mpi_wait;
			sums.io += unit * cell->io;
			sums.gpu += unit * cell->gpu;
		}
	}
	return sums;
}

static const char *const kinds[RUN_TIME_KINDS] = { "thread", "others", "GPU" };

/* "0", "0 GPU 1", "128–255" */
static char *name_of_line(const struct strips *s, size_t first, size_t end)
{
	const struct run_time_row *row = &s->line->rows[first];
	uint64_t rank = processes_number(s->run, row->rank);
	uint64_t last = processes_number(s->run, s->line->rows[end - 1].rank);

	if (last != rank)
		return str_format("%ju–%ju", (uintmax_t)rank, (uintmax_t)last);
	if (row->kind == RUN_TIME_HELPERS)
		return str_format("%ju others", (uintmax_t)rank);
	if (row->kind == RUN_TIME_GPU)
		return str_format("%ju GPU %u", (uintmax_t)rank, row->number);
	if (first && s->line->rows[first - 1].rank == row->rank &&
	    s->line->rows[first - 1].kind == RUN_TIME_THREAD)
		return str_format("%ju thread %u", (uintmax_t)rank,
				  row->number);
	return str_format("%ju", (uintmax_t)rank);
}

static bool is_first_thread(const struct strips *s, size_t row)
{
	const struct run_time_row *rows = s->line->rows;

	return rows[row].kind == RUN_TIME_THREAD &&
	       (!row || rows[row - 1].rank != rows[row].rank ||
		rows[row - 1].kind != RUN_TIME_THREAD);
}

/* Of the first threads of ranks as the split has it, else as cells have. */
static void put_in_mpi(struct report *report, const struct strips *s,
		       size_t first, size_t end, const struct strip_sums *sums)
{
	double mpi = 0, waiting = 0, count = 0;

	for (size_t i = first; i < end; i++) {
		uint32_t rank = s->line->rows[i].rank;

		if (!is_first_thread(s, i))
			continue;
		mpi += time_split_mpi(&s->split, rank);
		waiting += time_split_of(&s->split, rank, SPLIT_WAIT);
		count++;
	}
	report_number(report, count > 0 ? mpi / count
					: value_ratio(sums->mpi, sums->known));
	report_number(report, count > 0 ? waiting / count
					: value_ratio(sums->wait, sums->known));
}

static void strip_row(struct report *report, struct strips *s, size_t first,
		      size_t end)
{
	struct strip_sums sums = sums_of_line(s, first, end);
	char *name = name_of_line(s, first, end);

	for (uint32_t b = 0; b < s->axis->bins; b++)
		s->drawn[b] = letter_of_bin(s, first, end, b);
	report_text(report, name);
	report_spark(report, s->drawn, s->axis->bins);
	report_number(report, sums.known);
	if (s->line->rows[first].kind == RUN_TIME_THREAD) {
		report_number(report, value_ratio(sums.busy, sums.known));
		put_in_mpi(report, s, first, end, &sums);
		report_number(report, value_ratio(sums.io, sums.known));
	} else {
		for (int i = 0; i < 4; i++)
			report_none(report);
	}
	report_number(report, value_ratio(sums.gpu, sums.known));
	report->failed |= !name;
	free(name);
}

static void time_line_columns(struct report *report, const struct strips *s)
{
	bool gpus = s->run->gpu.device_count;
	char whole[32], title[64];

	snprintf(title, sizeof(title), "0 to %s",
		 phrase_time(whole, s->axis->bins * width_of_bin(s)));
	report_table(report, "lines", NULL);
	report_column(report, "rank", processes_noun(s->run), COLUMN_TEXT);
	report_column(report, NULL, title, COLUMN_LETTERS);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "busy", "CPU", COLUMN_SHARE);
	report_spare(report);
	report_column(report, "mpi", "MPI", COLUMN_SHARE);
	report_spare(report);
	report_column(report, "mpi_wait", "waiting", COLUMN_SHARE);
	report_spare(report);
	report_column(report, "io", NULL, COLUMN_SHARE);
	report_column(report, "gpu", gpus ? "GPU" : NULL, COLUMN_SHARE);
	report_spare(report);
}

/* Other threads that did nearly nothing are not worth a line to readers. */
static bool is_idle_row(const struct strips *s, size_t row)
{
	struct strip_sums sums = sums_of_line(s, row, row + 1);

	return s->line->rows[row].kind == RUN_TIME_HELPERS &&
	       sums.busy < IDLE * s->axis->bins * width_of_bin(s);
}

/* The end of the rows that are one line, of `each` ranks. */
static size_t end_of_line(const struct run_timeline *l, size_t row,
			  uint32_t each)
{
	size_t end = row + 1;

	while (each > 1 && end < l->row_count &&
	       l->rows[end].rank / each == l->rows[row].rank / each)
		end++;
	return end;
}

/* Lines of several ranks are of their threads in MPI alone. */
static void strips_table(struct report *report, struct strips *s, size_t limit)
{
	const struct run_timeline *l = s->line;
	uint32_t last = l->rows[l->row_count - 1].rank;
	uint32_t each = last < limit ? 1 : (uint32_t)(last / limit + 1);

	time_line_columns(report, s);
	for (size_t i = 0, end; i < l->row_count; i = end) {
		end = end_of_line(l, i, each);
		while (each > 1 && i + 1 < end &&
		       l->rows[i].kind != RUN_TIME_THREAD)
			i++;
		if (limit == SIZE_MAX || !is_idle_row(s, i))
			strip_row(report, s, i, end);
	}
}

static void letters_table(struct report *report, const struct strips *s)
{
	report_table(report, "letters", "letters");
	report_column(report, "letter", NULL, COLUMN_TEXT);
	report_column(report, NULL, "", COLUMN_LETTERS);
	report_column(report, "share", "share", COLUMN_SHARE);
	report_column(report, "first", "from", COLUMN_SECONDS);
	report_column(report, "last", "to", COLUMN_SECONDS);
	report_column(report, "path", "call path", COLUMN_TEXT);
	for (uint32_t i = 0; i < s->count; i++) {
		const struct strip_path *at = &s->at[s->lettered[i]];
		const char letter[] = { at->letter, 0 };

		report_text(report, letter);
		report_spark(report, (double[]){ at->letter }, 1);
		report_number(report, value_ratio(at->ns, s->ns));
		report_number(report, at->first * width_of_bin(s));
		report_number(report, (at->last + 1) * width_of_bin(s));
		paths_cell(report, &s->paths, s->lettered[i]);
	}
}

/*
 * Cells, for programs.
 */

static void cell_columns(struct report *report)
{
	report_table(report, "cells", NULL);
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "kind", NULL, COLUMN_TEXT);
	report_column(report, "number", NULL, COLUMN_COUNT);
	report_column(report, "begin", NULL, COLUMN_SECONDS);
	report_column(report, "end", NULL, COLUMN_SECONDS);
	report_column(report, "path", NULL, COLUMN_TEXT);
	report_column(report, "share", NULL, COLUMN_SHARE);
	report_column(report, "moments", NULL, COLUMN_COUNT);
	report_column(report, "known", NULL, COLUMN_SHARE);
	report_column(report, "busy", NULL, COLUMN_SHARE);
	report_column(report, "mpi", NULL, COLUMN_SHARE);
	report_column(report, "mpi_wait", NULL, COLUMN_SHARE);
	report_column(report, "io", NULL, COLUMN_SHARE);
	report_column(report, "gpu", NULL, COLUMN_SHARE);
}

static void cell_row(struct report *report, const struct strips *s,
		     const struct run_time_row *row,
		     const struct run_time_cell *cell, uint32_t bin)
{
	char *path = row->kind == RUN_TIME_GPU || !cell->share
			     ? NULL
			     : paths_text(&s->paths, s->paths.of[cell->node]);

	report_count(report, processes_number(s->run, row->rank));
	report_text(report, kinds[row->kind]);
	report_count(report, row->number);
	report_number(report, bin * width_of_bin(s));
	report_number(report, (bin + 1) * width_of_bin(s));
	report_text(report, path);
	report_number(report, share_of_cell(cell->share));
	report_count(report, cell->moments);
	report_number(report, share_of_cell(cell->known));
	report_number(report, share_of_cell(cell->busy));
	report_number(report, share_of_cell(cell->mpi));
	report_number(report, share_of_cell(cell->mpi_wait));
	report_number(report, share_of_cell(cell->io));
	report_number(report, share_of_cell(cell->gpu));
	free(path);
}

/* Readers see the strips. */
static void cells_table(struct report *report, const struct strips *s,
			const struct analysis_options *options)
{
	cell_columns(report);
	for (size_t i = 0; i < s->line->row_count && options->limit == SIZE_MAX;
	     i++) {
		const struct run_time_row *row = &s->line->rows[i];

		for (uint32_t c = 0; c < row->cells; c++)
			cell_row(report, s, row,
				 &s->line->cells[row->first + c],
				 row->first_bin + c);
	}
}

/*
 * Sentences.
 */

ORDER_BY(by_moments, uint16_t, ORDER(*a, *b))

/* Of threads' cells; 0 when there is no memory for it. */
static uint16_t median_moments(const struct strips *s)
{
	uint16_t *all = calloc(s->line->cell_count + 1, sizeof(*all)), median;
	size_t count = 0;

	if (!all)
		return 0;
	for (size_t i = 0; i < s->line->row_count; i++) {
		const struct run_time_row *row = &s->line->rows[i];

		for (uint32_t c = 0;
		     c < row->cells && row->kind == RUN_TIME_THREAD; c++)
			all[count++] = s->line->cells[row->first + c].moments;
	}
	qsort(all, count, sizeof(*all), by_moments);
	median = count ? all[count / 2] : 0;
	free(all);
	return median;
}

/* Of threads that call MPI: how much of their time they were off a core. */
static double share_off_core(const struct strips *s)
{
	uint64_t known = 0, busy = 0;

	for (size_t i = 0; i < s->line->row_count; i++) {
		const struct run_time_row *row = &s->line->rows[i];

		for (uint32_t c = 0;
		     c < row->cells && row->kind == RUN_TIME_THREAD; c++) {
			known += s->line->cells[row->first + c].known;
			busy += s->line->cells[row->first + c].busy;
		}
	}
	return 1 - value_ratio((double)busy, (double)known);
}

static void say_precision(struct report *report, const struct strips *s)
{
	double off = share_off_core(s);
	char whole[32], width[32], samples[32];
	uint16_t moments = median_moments(s);

	report_line(report, "%s, in %u bins of %s.",
		    phrase_time(whole, s->axis->bins * width_of_bin(s)),
		    s->axis->bins, phrase_time(width, width_of_bin(s)));
	if (moments)
		report_note(
			report,
			"A cell stands for %s (the median): a share in it is "
			"known to ± %.0f %%.",
			phrase_plural(samples, moments, "sample"),
			100 / sqrt(moments));
	if (!s->run->waits.joined.level)
		return;
	report_note(report,
		    "When ranks were in MPI, and what of it was waiting, is "
		    "known of one of %.0f calls.",
		    ldexp(1, (int)s->run->waits.joined.level));
	if (off > OFF_CORE)
		report_note(report,
			    "%.0f %% of the time was off a core. Outside "
			    "these calls it counts where a rank came back, so "
			    "that MPI may have less here than was measured "
			    "(copse report ranks).",
			    100 * off);
}

static int make_strips(struct report *report, struct strips *s,
		       const struct analysis_options *options)
{
	int err = paths_init(&s->paths, s->run);

	if (!err)
		err = time_split_init(&s->split, s->run);
	if (err)
		return err;
	s->at = calloc(s->paths.count + 1, sizeof(*s->at));
	s->sums = calloc(CHAR_MAX + 1, sizeof(*s->sums));
	s->drawn = calloc(s->axis->bins, sizeof(*s->drawn));
	if (!s->at || !s->sums || !s->drawn)
		return no_memory();
	see_cells(s);
	choose_letters(s);
	say_precision(report, s);
	cells_table(report, s, options);
	strips_table(report, s, analysis_limit(options, LINES, SIZE_MAX));
	letters_table(report, s);
	return 0;
}

static int run_time_strips(struct report **to, const struct run *const runs[],
			   const struct analysis_options *options)
{
	struct strips s = { 0 };
	int err = analysis_one_run(runs, "timeline");

	if (err)
		return err;
	s.run = runs[0];
	s.line = &runs[0]->timeline;
	s.axis = s.line->axes;
	*to = analysis_report("timeline", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	if (!s.line->row_count)
		report_line(*to,
			    "When what happened is not known: that is kept of "
			    "programs that use MPI, or with copse run --trace; "
			    "and older databases lack it (copse merge makes it "
			    "from the rank files).");
	else
		err = make_strips(*to, &s, options);
	time_split_fini(&s.split);
	paths_fini(&s.paths);
	free(s.at);
	free(s.sums);
	free(s.drawn);
	return err ? err : report_error(*to);
}

const struct analysis analysis_time_strips = {
	.name = "timeline",
	.help = "which call path each rank was in when",
	.run = run_time_strips,
};
