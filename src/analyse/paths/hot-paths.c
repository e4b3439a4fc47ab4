/* SPDX-License-Identifier: BSD-3-Clause */
/* hot-paths.c - see path-findings.h. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/confidence.h"
#include "analyse/paths/path-findings.h"
#include "analyse/paths/own-paths.h"
#include "analyse/base/python-words.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/str.h"

#define LEAST  0.03 /* of the time: worth a row */
#define WHOLE  0.01 /* of its time counts where a row adds nothing */
#define PASSES 0.95 /* of a function's time is in one that it calls */

struct hot_paths {
	const struct paths *paths;
	const struct run_metric *metric;
	double *exclusive, *inclusive; /* by path */
	double *idle; /* of inclusive: in waits of threads for each other */
	double *self; /* with what libraries do for it */
	double *told; /* self, and calls of MPI or a GPU: what a row can show */
	double *known;    /* of told: what rows show */
	uint32_t *caller; /* of a candidate: the nearest one; 0: none */
	uint32_t *callee; /* the one with most of it; 0: none */
	bool *candidate, *row;
	double samples;
};

static double hot_share(const struct hot_paths *h, double value)
{
	return value_ratio(value, h->inclusive[0]);
}

static void find_idle(struct hot_paths *h)
{
	const struct path *at = h->paths->at;

	for (size_t p = h->paths->count; p-- > 1;) {
		const struct run_node *n = &h->paths->run->nodes[at[p].node];

		if (n->kind == RUN_OPENMP || n->kind == RUN_LOCK)
			h->idle[p] = h->inclusive[p];
		h->idle[at[p].parent] += h->idle[p];
	}
}

/* Other reports have the threads that wait for work. */
static bool is_candidate(const struct hot_paths *h, uint32_t path)
{
	return path &&
	       hot_share(h, h->inclusive[path] - h->idle[path]) >= LEAST &&
	       paths_said(h->paths, path) == path;
}

static void find_candidates(struct hot_paths *h)
{
	for (uint32_t p = 0; p < h->paths->count; p++) {
		uint32_t up = h->paths->at[p].parent;

		if (h->exclusive[p] > 0)
			h->self[paths_said(h->paths, p)] += h->exclusive[p];
		h->candidate[p] = is_candidate(h, p);
		h->caller[p] = h->candidate[up] ? up : h->caller[up];
		up = h->caller[p];
		if (h->candidate[p] &&
		    (!h->callee[up] ||
		     h->inclusive[p] > h->inclusive[h->callee[up]]))
			h->callee[up] = p;
	}
}

/* A function that calls MPI or a GPU keeps its row: it names the place. */
static bool passes_on(const struct hot_paths *h, uint32_t path)
{
	uint32_t callee = h->callee[path];

	return callee &&
	       h->paths->run->nodes[h->paths->at[callee].node].kind ==
		       RUN_FUNCTION &&
	       h->inclusive[callee] >= PASSES * h->inclusive[path];
}

static size_t mark_all_rows(struct hot_paths *h)
{
	size_t count = 0;

	for (uint32_t p = 1; p < h->paths->count; p++) {
		h->row[p] = h->candidate[p] && !passes_on(h, p);
		count += h->row[p];
	}
	return count;
}

/* Calls of MPI and GPUs count for their caller, since tables have the calls; a
 * path that is too small for a row counts for its caller, too. */
static void find_callers_in_table(struct hot_paths *h)
{
	for (uint32_t p = 1; p < h->paths->count; p++) {
		const struct run_node *n =
			&h->paths->run->nodes[h->paths->at[p].node];

		if (n->kind == RUN_FUNCTION || n->kind == RUN_PARALLEL)
			h->told[h->candidate[p] ? p : h->caller[p]] +=
				h->self[p];
		else if (h->candidate[p])
			h->told[h->caller[p]] += h->inclusive[p];
	}
}

/* The nearest caller that has a row, and the outermost between; 0: none. */
static uint32_t nearest_row_above(const struct hot_paths *h, uint32_t path,
				  uint32_t *outermost, size_t *between)
{
	uint32_t p = h->caller[path];

	*outermost = 0;
	for (*between = 0; p && !h->row[p]; p = h->caller[p]) {
		*outermost = p;
		++*between;
	}
	return p;
}

/* gain[]: what one more row would show: its own time, and half of it for each
 * caller between a path and the row. */
static void find_gains(const struct hot_paths *h, const bool *may, double *gain)
{
	for (uint32_t p = 0; p < h->paths->count; p++)
		gain[p] = WHOLE * h->inclusive[p];
	for (uint32_t p = 1; p < h->paths->count; p++) {
		double part = 1;

		if (!h->candidate[p])
			continue;
		for (uint32_t q = p; q; q = h->caller[q])
			if (may[q]) {
				gain[q] += fmax(h->told[p] * part - h->known[p],
						0);
				part /= 2;
			}
	}
}

/* The row is chosen: what it shows is known. */
static void choose_row(struct hot_paths *h, bool *may, uint32_t row)
{
	h->row[row] = true;
	for (uint32_t p = row; p < h->paths->at[row].end; p++) {
		double part = 1;

		if (!h->candidate[p])
			continue;
		for (uint32_t q = p; q > row; q = h->caller[q])
			part /= may[q] ? 2 : 1;
		h->known[p] = fmax(h->known[p], h->told[p] * part);
	}
}

/* The rows that show most: one of a caller replaces many small ones. */
static int choose_rows(struct hot_paths *h, size_t limit)
{
	size_t count = mark_all_rows(h);
	bool *may = h->row;
	double *gain = calloc(h->paths->count + 1, sizeof(*gain));

	h->row = calloc(h->paths->count + 1, sizeof(*h->row));
	find_callers_in_table(h);
	while (gain && h->row && count-- && limit--) {
		uint32_t best = 0;

		find_gains(h, may, gain);
		for (uint32_t p = 1; p < h->paths->count; p++)
			if (may[p] && !h->row[p] &&
			    (!best || gain[p] > gain[best]))
				best = p;
		choose_row(h, may, best);
	}
	free(may);
	free(gain);
	return gain && h->row ? 0 : no_memory();
}

static bool has_row_below(const struct hot_paths *h, uint32_t path)
{
	for (uint32_t p = path; p < h->paths->at[path].end; p++)
		if (h->row[p])
			return true;
	return false;
}

/* What it mostly does, where no row shows it: a library or a callee; 0: none,
 * or the function itself. */
static uint32_t mostly_in_callee(const struct hot_paths *h, uint32_t path)
{
	const struct path *at = h->paths->at;
	const struct run_node *nodes = h->paths->run->nodes;
	double half = h->inclusive[path] / 2;
	uint32_t p = path, next;

	if (h->self[path] > half)
		return paths_mostly(h->paths, path, h->exclusive,
				    h->self[path]);
	while ((next = h->callee[p]) && h->inclusive[next] >= half)
		p = next;
	return p == path || has_row_below(h, p) ||
			       nodes[at[p].node].function ==
				       nodes[at[path].node].function
		       ? 0
		       : p;
}

static bool is_at_or_above(const struct paths *paths, uint32_t path,
			   uint32_t below)
{
	return path <= below && below < paths->at[path].end;
}

/* Where its callers are others than those of a row of the same function that
 * stands below the same row: the outermost of them. */
static uint32_t outermost_other_caller(const struct hot_paths *h, uint32_t path)
{
	const struct path *at = h->paths->at;
	const struct run_node *nodes = h->paths->run->nodes;
	uint32_t outermost, above, common = 0, p = path;
	size_t between;

	above = nearest_row_above(h, path, &outermost, &between);
	for (uint32_t q = 1; q < h->paths->count; q++)
		if (h->row[q] && q != path &&
		    nodes[at[q].node].function ==
			    nodes[at[path].node].function &&
		    nearest_row_above(h, q, &outermost, &between) == above) {
			uint32_t both = paths_common(h->paths, path, q);

			common = both > common ? both : common;
		}
	while (common && h->caller[p] &&
	       !is_at_or_above(h->paths, h->caller[p], common))
		p = h->caller[p];
	return common ? p : path;
}

/* "… › solve › " before a path; `from`: the frame printed last; 0: none. */
static bool put_frame_between(FILE *to, const struct hot_paths *h,
			      uint32_t frame, uint32_t from)
{
	char *name = paths_short(h->paths, frame, 1);

	if (name)
		fprintf(to, "%s%s › ",
			from && h->caller[frame] != from ? "… › " : "", name);
	free(name);
	return name;
}

static bool is_region_path(const struct hot_paths *h, uint32_t path)
{
	return h->paths->run->nodes[h->paths->at[path].node].kind ==
	       RUN_PARALLEL;
}

/* A region is printed, and one frame where "…" would be no shorter. */
static bool put_row_text(FILE *to, const struct hot_paths *h, uint32_t path)
{
	uint32_t outermost, parted = outermost_other_caller(h, path);
	size_t between;
	char *name;

	nearest_row_above(h, path, &outermost, &between);
	if (between == 2 ||
	    (parted == path && is_region_path(h, h->caller[path])))
		parted = h->caller[path];
	if (between && !put_frame_between(to, h, outermost, 0))
		return false;
	if (between && parted != path && parted != outermost) {
		if (!put_frame_between(to, h, parted, outermost))
			return false;
		outermost = parted;
	}
	name = paths_short_mostly(h->paths, path, 1, mostly_in_callee(h, path));
	if (name)
		fprintf(to, "%s%s",
			between && h->caller[path] != outermost ? "… › " : "",
			name);
	free(name);
	return name;
}

/* "    main › … › step, mostly exp"; to be freed. */
static char *row_text(const struct hot_paths *h, uint32_t path, int indent)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok = to && fprintf(to, "%*s", 2 * indent, "") >= 0 &&
		  put_row_text(to, h, path);

	if (to)
		fclose(to);
	if (ok)
		return text;
	free(text);
	return NULL;
}

/* Of a node at or below a path of Python's, the line of the latter. */
static uint32_t line_within(const struct paths *paths, uint32_t path,
			    uint32_t node)
{
	const struct run_node *nodes = paths->run->nodes;

	if (paths->of[node] == path)
		return nodes[node].kind == RUN_LINE ? nodes[node].line : 0;
	while (paths->of[nodes[node].parent] != path)
		node = nodes[node].parent;
	return nodes[node].line;
}

/* "train.py:88": the line of Python with most below it; NULL: no memory. */
static char *python_place(const struct hot_paths *h, uint32_t path)
{
	const struct paths *paths = h->paths;
	const struct run_node *n = &paths->run->nodes[paths->at[path].node];
	uint32_t first = paths->first[path], hottest = 0, most = 0;
	uint32_t end = paths->first[paths->at[path].end];
	double *by_line;

	for (uint32_t i = first; i < end; i++) {
		uint32_t line = line_within(paths, path, paths->nodes[i]);

		most = line > most ? line : most;
	}
	by_line = calloc((size_t)most + 1, sizeof(*by_line));
	if (!by_line)
		return NULL;
	for (uint32_t i = first; i < end; i++)
		by_line[line_within(paths, path, paths->nodes[i])] +=
			value_node(h->metric, paths->nodes[i]);
	by_line[0] = 0;
	for (uint32_t i = 1; i <= most; i++)
		if (by_line[i] > by_line[hottest])
			hottest = i;
	free(by_line);
	return paths_place(paths->run, n->module, hottest);
}

/* Where in the function most of its own samples are, or what it is of. */
static char *row_place(const struct hot_paths *h, uint32_t path)
{
	const struct paths *paths = h->paths;
	const struct run *run = paths->run;
	const struct run_node *n = &run->nodes[paths->at[path].node];
	uint32_t hottest = 0;

	if (python_owns(run, paths->at[path].node))
		return python_place(h, path);
	for (uint32_t i = paths->first[path]; i < paths->first[path + 1]; i++) {
		uint32_t node = paths->nodes[i];

		if (run->nodes[node].kind == RUN_LINE &&
		    (!hottest || value_node(h->metric, node) >
					 value_node(h->metric, hottest)))
			hottest = node;
	}
	if (hottest)
		n = &run->nodes[hottest];
	else if (n->kind == RUN_FUNCTION)
		return strdup(str_base(str_at(&run->strings, n->module)));
	return paths_place(run, n->file, n->line);
}

static void hot_row(struct report *report, const struct hot_paths *h,
		    uint32_t path, int depth)
{
	const struct run *run = h->paths->run;
	double share = hot_share(h, h->inclusive[path]);
	struct confidence c = confidence_of(share, h->samples);
	const char *function = paths_function(run, h->paths->at[path].node);
	char *text = row_text(h, path, depth), *place = row_place(h, path);

	report_count(report, (uint64_t)depth);
	report_path(report, function, text, text);
	report_text(report, place);
	value_cell(report, h->metric->unit, h->inclusive[path]);
	report_share(report, share, h->samples > 0 ? c.margin : 0);
	report_number(report, hot_share(h, h->self[path]));
	report_number(report, hot_share(h, h->self[path]));
	report->failed |= !text;
	free(text);
	free(place);
}

/* The rows below a caller, the largest first, each with those below it. */
static void put_hot_rows(struct report *report, const struct hot_paths *h,
			 uint32_t above, int depth, bool *done)
{
	for (;;) {
		uint32_t best = 0, outermost;
		size_t between;

		for (uint32_t p = 1; p < h->paths->count; p++)
			if (h->row[p] && !done[p] &&
			    nearest_row_above(h, p, &outermost, &between) ==
				    above &&
			    (!best || h->inclusive[p] > h->inclusive[best]))
				best = p;
		if (!best)
			return;
		done[best] = true;
		hot_row(report, h, best, depth);
		put_hot_rows(report, h, best, depth + 1, done);
	}
}

static void hot_columns(struct report *report, const struct run_metric *metric)
{
	report_table(report, "hot_paths", "hot paths");
	report_column(report, "depth", NULL, COLUMN_COUNT);
	report_column(report, "function", "call path", COLUMN_TEXT);
	report_column(report, "place", "place", COLUMN_LEFT_TEXT);
	value_column(report, "inclusive", metric->name, metric);
	report_column(report, "share", "of all", COLUMN_SHARE);
	report_column(report, "self_share", "itself", COLUMN_SHARE);
	report_column(report, NULL, "", COLUMN_BAR);
	report_spare(report);
}

int hot_paths_table(struct report *report, const struct paths *paths,
		    const struct run_metric *metric, size_t limit)
{
	size_t count = paths->count + 1;
	struct hot_paths h = {
		.paths = paths,
		.metric = metric,
		.exclusive = calloc(count, sizeof(double)),
		.inclusive = calloc(count, sizeof(double)),
		.idle = calloc(count, sizeof(double)),
		.self = calloc(count, sizeof(double)),
		.told = calloc(count, sizeof(double)),
		.known = calloc(count, sizeof(double)),
		.caller = calloc(count, sizeof(uint32_t)),
		.callee = calloc(count, sizeof(uint32_t)),
		.candidate = calloc(count, sizeof(bool)),
		.row = calloc(count, sizeof(bool)),
		.samples = confidence_samples(paths->run, metric),
	};
	bool *done = calloc(count, sizeof(*done));
	int err = h.exclusive && h.inclusive && h.idle && h.self && h.told &&
				  h.known && h.caller && h.callee &&
				  h.candidate && h.row && done
			  ? 0
			  : no_memory();

	if (!err) {
		paths_values(paths, metric, h.exclusive, h.inclusive);
		find_idle(&h);
		find_candidates(&h);
		err = choose_rows(&h, limit);
	}
	if (!err) {
		hot_columns(report, metric);
		put_hot_rows(report, &h, 0, 0, done);
	}
	free(h.exclusive);
	free(h.inclusive);
	free(h.idle);
	free(h.self);
	free(h.told);
	free(h.known);
	free(h.caller);
	free(h.callee);
	free(h.candidate);
	free(h.row);
	free(done);
	return err;
}
