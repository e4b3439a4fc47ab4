/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * diff.c - two runs, or two sides of several: what takes longer now, what less,
 * by call path, function, metric and rank, and what of it may be noise.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/by-rank.h"
#include "analyse/compare/compare.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/split/time-split.h"
#include "base/err.h"
#include "base/comparison.h"

#define ROWS         10
#define SMALL        0.001 /* of the base's total: not shown to readers */
#define PART_CHANGED 0.01  /* of the whole: a change worth a word */

enum {
	PARTS_SAID = 4
};

struct diff {
	struct sides sides;
	const struct analysis_options *options;
	const struct run_metric *metric; /* of one run: name and unit */
	struct sides_values values;
	struct comparison *paths; /* inclusive */
	bool *explained;
	uint32_t *order; /* paths but the root, by their change */
};

static bool is_time(const struct diff *d)
{
	return d->metric->unit == UNIT_NS;
}

static enum column_type type_of_metric(const struct diff *d)
{
	return is_time(d) ? COLUMN_SECONDS : COLUMN_NUMBER;
}

static bool all_rows_are_asked(const struct diff *d)
{
	return d->options->limit == SIZE_MAX;
}

/* Beyond what chance does, as far as that is known. */
static bool is_beyond_noise(const struct comparison *c)
{
	return isnan(c->margin) || fabs(c->change) > c->margin;
}

static bool is_change_shown(const struct diff *d, const struct comparison *c)
{
	return all_rows_are_asked(d) ||
	       (c->change != 0 && is_beyond_noise(c) &&
		fabs(c->change) >= SMALL * d->paths[0].base);
}

static void side_columns(struct report *report, enum column_type type)
{
	report_column(report, "base", "base", type);
	report_column(report, "new", "new", type);
	report_column(report, "change", "change", type);
	report_column(report, "margin", "±", type);
	report_column(report, "relative", "of its own", COLUMN_SHARE);
	report_column(report, "p", NULL, COLUMN_NUMBER);
}

static double two_sided(const struct comparison *c)
{
	return 2 * fmin(c->more, c->less);
}

static void side_cells(struct report *report, const struct comparison *c)
{
	report_number(report, c->base);
	report_number(report, c->now);
	report_number(report, c->change);
	value_known(report, c->margin);
	value_known(report, comparison_relative(c));
	value_known(report, two_sided(c));
}

/* Call paths */

static void diff_path_columns(struct report *report, const struct diff *d,
			      bool by_rank)
{
	enum column_type type = type_of_metric(d);

	report_table(report, "paths",
		     "call paths, with what they call, over all ranks");
	side_columns(report, type);
	report_column(report, "share", "of all", COLUMN_SHARE);
	report_column(report, "itself_base", NULL, type);
	report_column(report, "itself_new", NULL, type);
	report_column(report, "itself_change", "itself", type);
	report_column(report, "itself_margin", NULL, type);
	report_column(report, "rank", by_rank ? "rank" : NULL, COLUMN_COUNT);
	report_column(report, "rank_change", by_rank ? "there" : NULL, type);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
}

static void rank_cells(struct report *report, const struct by_rank *ranks,
		       size_t row, double change)
{
	size_t most;

	if (!ranks->ranks) {
		report_none(report);
		report_none(report);
		return;
	}
	most = by_rank_most(ranks, row, change);
	report_count(report, most);
	report_number(report, by_rank_change(ranks, row, most));
}

static void diff_path_row(struct report *report, const struct diff *d,
			  const struct by_rank *ranks, size_t row,
			  uint32_t path)
{
	char *text = path_union_text(&d->sides.paths, path);
	const struct comparison *all = &d->paths[path];
	struct comparison own;

	compare_sides_exclusive(&own, &d->sides, &d->values, path);
	side_cells(report, all);
	value_known(report, all->change / d->paths[0].base);
	report_number(report, own.base);
	report_number(report, own.now);
	report_number(report, own.change);
	value_known(report, own.margin);
	rank_cells(report, ranks, row, all->change);
	report_text(report, text);
	report->failed |= !text;
	free(text);
}

static int path_batch(struct report *report, const struct diff *d,
		      const uint32_t *paths, size_t count)
{
	struct by_rank ranks;
	int err =
		by_rank_init(&ranks, &d->sides, d->metric->name, paths, count);

	for (size_t i = 0; i < count && !err; i++)
		diff_path_row(report, d, &ranks, i, paths[i]);
	by_rank_fini(&ranks);
	return err;
}

/* The paths that are shown, from order[] to its front; how many. */
static size_t choose_paths(const struct diff *d)
{
	size_t count = d->sides.paths.count - 1, rows = 0;
	size_t limit = analysis_limit(d->options, ROWS, count);

	for (size_t i = 0; i < count && rows < limit; i++) {
		uint32_t path = d->order[i];

		if (is_change_shown(d, &d->paths[path]) &&
		    (all_rows_are_asked(d) || !d->explained[path]))
			d->order[rows++] = path;
	}
	return rows;
}

static int diff_path_table(struct report *report, const struct diff *d,
			   bool by_rank)
{
	size_t rows = choose_paths(d), batch = by_rank_rows(&d->sides);
	int err = 0;

	diff_path_columns(report, d, by_rank);
	for (size_t at = 0; at < rows && !err; at += batch)
		err = path_batch(report, d, d->order + at,
				 rows - at < batch ? rows - at : batch);
	return err;
}

/* Functions, metrics, ranks */

struct ranked {
	uint32_t index;
	struct comparison c;
};

static int by_change(const void *x, const void *y)
{
	const struct ranked *a = x, *b = y;
	double left = fabs(a->c.change), right = fabs(b->c.change);

	if (left != right)
		return left < right ? 1 : -1;
	return ORDER(a->index, b->index);
}

static void function_rows(struct report *report, const struct diff *d,
			  const struct functions *f, struct ranked *at)
{
	size_t limit = analysis_limit(d->options, ROWS, f->count), rows = 0;
	const struct sides *s = &d->sides;

	for (uint32_t i = 0; i < f->count; i++) {
		at[i].index = i;
		comparison_of(&at[i].c, f->values + i * s->count,
			      f->noise + i * s->count, s->base, s->count);
	}
	qsort(at, f->count, sizeof(*at), by_change);
	for (size_t i = 0; i < f->count && rows < limit; i++) {
		if (!is_change_shown(d, &at[i].c))
			continue;
		side_cells(report, &at[i].c);
		report_text(report,
			    str_at(&s->paths.strings, f->name[at[i].index]));
		rows++;
	}
}

static int diff_function_table(struct report *report, const struct diff *d)
{
	struct functions f;
	int err = compare_functions_init(&f, &d->sides, &d->values);
	struct ranked *at = err ? NULL : calloc(f.count + 1, sizeof(*at));

	if (!err && !at)
		err = no_memory();
	report_table(report, "functions",
		     "functions themselves, over all ranks");
	side_columns(report, type_of_metric(d));
	report_column(report, "function", "function", COLUMN_TEXT);
	if (!err)
		function_rows(report, d, &f, at);
	compare_functions_fini(&f);
	free(at);
	return err;
}

static const char *const unit_words[] = {
	[UNIT_COUNT] = "count",
	[UNIT_NS] = "s",
	[UNIT_BYTES] = "bytes",
};

/* Metrics differ in their unit: readers get words, programs numbers. */
static void metric_columns(struct report *report)
{
	report_table(report, "metrics", "metrics, over all ranks");
	report_column(report, "metric", "metric", COLUMN_TEXT);
	report_column(report, "unit", NULL, COLUMN_TEXT);
	report_column(report, NULL, "base", COLUMN_LEFT_TEXT);
	report_column(report, NULL, "new", COLUMN_LEFT_TEXT);
	report_column(report, NULL, "change", COLUMN_LEFT_TEXT);
	report_column(report, NULL, "±", COLUMN_LEFT_TEXT);
	report_column(report, "base", NULL, COLUMN_SECONDS);
	report_column(report, "new", NULL, COLUMN_SECONDS);
	report_column(report, "change", NULL, COLUMN_SECONDS);
	report_column(report, "margin", NULL, COLUMN_SECONDS);
	report_column(report, "relative", "of its own", COLUMN_SHARE);
	report_column(report, "p", NULL, COLUMN_NUMBER);
}

static void metric_text(struct report *report, enum unit unit, double value)
{
	char text[64] = "-", *to = text;

	if (value < 0)
		*to++ = '-';
	if (unit == UNIT_NS && !isnan(value))
		phrase_time(to, fabs(value));
	else if (unit == UNIT_BYTES && !isnan(value))
		phrase_bytes(to, fabs(value));
	else if (!isnan(value))
		snprintf(to, 32, fabs(value) < 1e6 ? "%.6g" : "%.0f",
			 fabs(value));
	report_text(report, text);
}

/* Totals come from samples that stand for all of the time: they are exact. */
static int metric_row(struct report *report, const struct sides *s,
		      const struct run_metric *m)
{
	double *totals = calloc(2 * s->count, sizeof(*totals));
	struct comparison c;

	if (!totals)
		return no_memory();
	for (size_t r = 0; r < s->count; r++) {
		const struct run_metric *of = run_metric(s->runs[r], m->name);

		for (size_t n = 0; of && n < s->runs[r]->node_count; n++)
			totals[r] += value_node(of, n);
	}
	comparison_of(&c, totals, totals + s->count, s->base, s->count);
	report_text(report, m->name);
	report_text(report, unit_words[m->unit]);
	metric_text(report, m->unit, c.base);
	metric_text(report, m->unit, c.now);
	metric_text(report, m->unit, c.change);
	metric_text(report, m->unit, c.margin);
	side_cells(report, &c);
	free(totals);
	return 0;
}

/* Metrics of the first run of either side. */
static int metric_table(struct report *report, const struct diff *d)
{
	const struct sides *s = &d->sides;
	const struct run *base = s->runs[0], *now = compare_sides_new(s);
	int err = 0;

	metric_columns(report);
	for (size_t i = 0; i < base->metric_count && !err; i++)
		if (base->metrics[i].merge == MERGE_SUM)
			err = metric_row(report, s, &base->metrics[i]);
	for (size_t i = 0; i < now->metric_count && !err; i++)
		if (now->metrics[i].merge == MERGE_SUM &&
		    !run_metric(base, now->metrics[i].name))
			err = metric_row(report, s, &now->metrics[i]);
	return err;
}

/* What the time went into: of each part, and last of all. */
static int compare_parts(struct comparison parts[SPLIT_PARTS + 1],
			 const struct sides *s)
{
	size_t rows = SPLIT_PARTS + 1;
	double *values = calloc(2 * rows * s->count, sizeof(*values));
	struct time_split split;
	int err = values ? 0 : no_memory();

	for (size_t r = 0; r < s->count && !err; r++) {
		err = time_split_init(&split, s->runs[r]);
		for (size_t p = 0; p < SPLIT_PARTS && !err; p++)
			values[2 * p * s->count + r] = split.parts[p].seconds;
		values[2 * SPLIT_PARTS * s->count + r] = split.whole;
		time_split_fini(&split);
	}
	for (size_t p = 0; p < rows && !err; p++)
		comparison_of(&parts[p], values + 2 * p * s->count,
			      values + (2 * p + 1) * s->count, s->base,
			      s->count);
	free(values);
	return err;
}

static void part_rows(struct report *report, const struct comparison *parts)
{
	report_table(report, "parts", "parts of the time, over all ranks");
	report_column(report, "part", NULL, COLUMN_TEXT);
	side_columns(report, COLUMN_SECONDS);
	report_column(report, NULL, "part", COLUMN_TEXT);
	for (size_t p = 0; p < SPLIT_PARTS; p++) {
		if (parts[p].base <= 0 && parts[p].now <= 0)
			continue;
		report_text(report, split_names[p].name);
		side_cells(report, &parts[p]);
		report_text(report, split_names[p].title);
	}
}

/* "All time: 58.4 s → 50.1 s: waiting in MPI -6.1 s, work -1.9 s" */
static void say_parts(struct report *report, const struct comparison *parts)
{
	const struct comparison *all = &parts[SPLIT_PARTS];
	double least = PART_CHANGED * fmax(all->base, all->now);
	char base[32], now[32], change[32], text[512] = "";
	bool said[SPLIT_PARTS] = { false };
	size_t length = 0;

	for (size_t k = 0; k < PARTS_SAID; k++) {
		size_t most = SPLIT_PARTS;

		for (size_t p = 0; p < SPLIT_PARTS; p++)
			if (!said[p] && is_beyond_noise(&parts[p]) &&
			    fabs(parts[p].change) >= least &&
			    (most == SPLIT_PARTS ||
			     fabs(parts[p].change) > fabs(parts[most].change)))
				most = p;
		if (most == SPLIT_PARTS)
			break;
		said[most] = true;
		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s %s %s%s",
			k ? "," : ":", split_names[most].title,
			parts[most].change < 0 ? "-" : "+",
			phrase_time(change, fabs(parts[most].change)));
	}
	report_line(report, "All ranks' time: %s → %s%s",
		    phrase_time(base, all->base), phrase_time(now, all->now),
		    text);
}

/* For programs; readers see the ranks beside the paths. */
static int diff_rank_table(struct report *report, const struct diff *d)
{
	const uint32_t root = 0;
	struct by_rank ranks;
	int err = by_rank_init(&ranks, &d->sides, d->metric->name, &root, 1);

	report_table(report, "ranks", "ranks");
	report_column(report, "rank", NULL, COLUMN_COUNT);
	report_column(report, "base", NULL, type_of_metric(d));
	report_column(report, "new", NULL, type_of_metric(d));
	report_column(report, "change", NULL, type_of_metric(d));
	for (size_t r = 0; r < ranks.ranks && !err; r++) {
		report_count(report, r);
		report_number(report, ranks.base[ranks.ranks + r]);
		report_number(report, ranks.now[ranks.ranks + r]);
		report_number(report, by_rank_change(&ranks, 0, r));
	}
	by_rank_fini(&ranks);
	return err;
}

/* Sentences */

static const char *amount_text(char *to, const struct diff *d, double value)
{
	if (is_time(d))
		return phrase_time(to, fabs(value));
	if (d->metric->unit == UNIT_BYTES)
		return phrase_bytes(to, fabs(value));
	snprintf(to, 32, "%.6g", fabs(value));
	return to;
}

static void say_diff_total(struct report *report, const struct diff *d)
{
	const struct comparison *c = &d->paths[0];
	char base[32], now[32], change[32], share[32], margin[32];

	report_line(report, "%s: %s → %s, %s%s (%s)%s%s%s", d->metric->name,
		    amount_text(base, d, c->base), amount_text(now, d, c->now),
		    c->change < 0 ? "-" : "+",
		    amount_text(change, d, c->change),
		    comparison_text(share, c), isnan(c->margin) ? "" : " ± ",
		    isnan(c->margin) ? "" : amount_text(margin, d, c->margin),
		    isnan(c->margin)     ? "; how much runs vary is not known"
		    : is_beyond_noise(c) ? ""
					 : ": no more than noise");
}

static void warn_of_diff(struct report *report, const struct diff *d)
{
	const struct run *base = d->sides.runs[0],
			 *now = compare_sides_new(&d->sides);

	for (size_t r = 1; r < d->sides.count; r++) {
		if (d->sides.runs[r]->member_count == base->member_count)
			continue;
		report_line(report,
			    "! The runs have different numbers of ranks (%zu, "
			    "%zu): copse report scaling says what that means.",
			    base->member_count, d->sides.runs[r]->member_count);
		break;
	}
	for (size_t r = 0; r < d->sides.count; r++) {
		if (!d->sides.runs[r]->problem_count)
			continue;
		report_line(report,
			    "! %s lacks ranks or files: copse report "
			    "summary names them.",
			    d->options->names ? d->options->names[r] : "A run");
		break;
	}
	if (strcmp(str_at(&base->strings, base->command),
		   str_at(&now->strings, now->command)) != 0)
		report_line(report, "The commands differ: %s; %s",
			    str_at(&base->strings, base->command),
			    str_at(&now->strings, now->command));
}

static void diff_notes(struct report *report, const struct diff *d)
{
	if (d->sides.count > 2)
		report_note(report,
			    "±: 95 %% confidence interval (Student's t, %zu "
			    "degrees of freedom).",
			    d->sides.count - 2);
	else
		report_note(report,
			    "±: 95 %% confidence interval of sampling alone. "
			    "One run on each side does not show how much runs "
			    "vary: give several, with 'vs' between.");
	report_note(report,
		    "Call paths match by the names of their functions, or by "
		    "their shape; -n 0 also shows those within noise.");
}

static struct report *new_diff_report(const struct diff *d)
{
	const struct run *run = d->sides.runs[0];
	char base[32], now[32], *title;
	struct report *report;

	phrase_plural(base, d->sides.base, "run");
	phrase_plural(now, d->sides.count - d->sides.base, "run");
	title = str_format("diff by %s · %s · %s → %s", d->metric->name,
			   str_at(&run->strings, run->command), base, now);
	report = title ? report_new("diff", title) : NULL;
	free(title);
	if (!report) {
		no_memory();
		return NULL;
	}
	report->metric = strdup(d->metric->name);
	report->metric_type = type_of_metric(d);
	report->failed |= !report->metric;
	return report;
}

static int fill_diff(struct report *report, const struct diff *d)
{
	const struct run *run = d->sides.runs[0];
	struct comparison parts[SPLIT_PARTS + 1];
	int err = compare_parts(parts, &d->sides);

	if (err)
		return err;
	say_diff_total(report, d);
	say_parts(report, parts);
	warn_of_diff(report, d);
	err = diff_path_table(report, d, run->world && run->member_count > 1);
	if (!err)
		err = diff_function_table(report, d);
	part_rows(report, parts);
	if (!err)
		err = metric_table(report, d);
	if (!err)
		err = diff_rank_table(report, d);
	diff_notes(report, d);
	idle_threads_say(report, d->sides.runs, d->metric->name);
	return err ? err : report_error(report);
}

/* Paths by how much they changed, of equals by their number. */
static int sort_paths(struct diff *d)
{
	size_t count = d->sides.paths.count;
	struct ranked *at = calloc(count + 1, sizeof(*at));
	double *change = calloc(count + 1, sizeof(*change));
	int err = 0;

	d->paths = calloc(count + 1, sizeof(*d->paths));
	d->order = calloc(count + 1, sizeof(*d->order));
	if (!at || !change || !d->paths || !d->order) {
		err = no_memory();
		goto out;
	}
	for (uint32_t p = 0; p < count; p++) {
		compare_sides_inclusive(&d->paths[p], &d->sides, &d->values, p);
		at[p] = (struct ranked){ p, d->paths[p] };
		change[p] = d->paths[p].change;
	}
	qsort(at + 1, count - 1, sizeof(*at), by_change);
	for (size_t i = 1; i < count; i++)
		d->order[i - 1] = at[i].index;
	d->explained = path_union_explained(&d->sides.paths, change);
	err = d->explained ? 0 : -ENOMEM;
out:
	free(at);
	free(change);
	return err;
}

static int compute_diff(struct report **to, struct diff *d)
{
	int err = compare_values_init(&d->values, &d->sides, d->metric->name);

	if (!err)
		err = sort_paths(d);
	if (err)
		return err;
	*to = new_diff_report(d);
	return *to ? fill_diff(*to, d) : -ENOMEM;
}

static int run_diff(struct report **to, const struct run *const runs[],
		    const struct analysis_options *options)
{
	struct diff d = { .options = options };
	int err = compare_sides_init(&d.sides, runs, options->base);

	if (err)
		return err;
	d.metric = compare_sides_choose(&d.sides, options);
	err = d.metric ? compute_diff(to, &d) : -EINVAL;
	compare_values_fini(&d.values);
	compare_sides_fini(&d.sides);
	free(d.paths);
	free(d.explained);
	free(d.order);
	return err;
}

const struct analysis analysis_diff = {
	.name = "diff",
	.help = "two runs, or several 'vs' several: what got slower or faster",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE | ANALYSIS_COLLAPSE,
	.run = run_diff,
};
