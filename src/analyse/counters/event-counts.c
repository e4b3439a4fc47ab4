/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * event-counts.c - the events of a run: how they were counted, what follows
 * from them by the formulas of their groups, and where they came.
 *
 * A group is shown when its events are in the run, whoever asked for them.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/base/formula.h"
#include "analyse/paths/groups.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/event-group.h"
#include "base/map.h"
#include "run/path-sums.h"

enum {
	MOST = EVENT_MOST + 1, /* columns of values: the events, then time */
	WIDE = 4,              /* events that a page has room for */
};

struct counts {
	const struct run *run;
	const struct run_metric *metrics[MOST]; /* the last one may be NULL */
	size_t events;
	struct groups functions[MOST];
	struct map index[MOST]; /* (function, module) to its group there */
	double total[MOST];
	double *ranks; /* MOST values for each */
	struct event_group **groups;
	size_t group_count;
};

static const char *event_name(const struct counts *c, size_t i)
{
	return c->metrics[i]->name + strlen(METRIC_EVENT);
}

static bool find_event_metrics(struct counts *c)
{
	for (size_t i = 0; i < c->run->metric_count; i++) {
		const struct run_metric *m = &c->run->metrics[i];

		if (!strncmp(m->name, METRIC_EVENT, strlen(METRIC_EVENT)) &&
		    c->events < EVENT_MOST)
			c->metrics[c->events++] = m;
	}
	c->metrics[c->events] = run_metric(c->run, "cpu.time");
	return c->events != 0;
}

static int sum_functions(struct counts *c, size_t i)
{
	struct groups *functions = &c->functions[i];
	int err;

	if (!c->metrics[i])
		return 0;
	err = groups_init(functions, c->run, c->metrics[i], false);
	for (size_t k = 0; k < functions->count && !err; k++) {
		const struct group *g = &functions->at[k];

		if (map_put(&c->index[i], g->function, g->module,
			    (uint32_t)k) == MAP_NONE)
			err = no_memory();
	}
	c->total[i] = functions->total;
	return err;
}

static int sum_ranks(struct counts *c, size_t i)
{
	const struct run_metric *m = c->metrics[i];
	uint64_t *sums = calloc(c->run->rank_count + 1, sizeof(*sums));
	int err = sums ? 0 : no_memory();

	if (m && !err)
		err = path_totals(c->run, m, sums);
	for (size_t r = 0; m && r < c->run->rank_count && !err; r++)
		c->ranks[r * MOST + i] = value_of(m->unit, (double)sums[r]);
	free(sums);
	return err;
}

static int load_groups(struct counts *c)
{
	char **names = event_group_names();
	size_t count = 0;
	int err = names ? 0 : no_memory();

	while (names && names[count])
		count++;
	c->groups = calloc(count + 1, sizeof(struct event_group *));
	if (!c->groups && !err)
		err = no_memory();
	for (size_t i = 0; i < count && !err; i++)
		err = event_group_load(&c->groups[c->group_count++], names[i]);
	free(names);
	return err;
}

static int counts_init(struct counts *c)
{
	int err = 0;

	c->ranks = calloc(c->run->rank_count * MOST + 1, sizeof(double));
	if (!c->ranks)
		return no_memory();
	for (size_t i = 0; i <= c->events && !err; i++) {
		err = sum_functions(c, i);
		if (!err)
			err = sum_ranks(c, i);
	}
	return err ? err : load_groups(c);
}

static void counts_fini(struct counts *c)
{
	for (size_t i = 0; i < MOST; i++) {
		groups_fini(&c->functions[i]);
		map_fini(&c->index[i]);
	}
	for (size_t i = 0; i < c->group_count; i++)
		event_group_free(c->groups[i]);
	free(c->groups);
	free(c->ranks);
}

/* Formulas over one set of values: of all, of a rank, of a function */

struct values {
	const struct counts *counts;
	const struct event_group *group;
	const double *at; /* MOST */
};

static bool same_event(const char *spec, const char *name)
{
	size_t length = strcspn(spec, "@");

	return strlen(name) == length && !strncmp(spec, name, length);
}

static bool is_metric_word(const char *word, const char *text, size_t length)
{
	return strlen(word) == length && !strncmp(word, text, length);
}

/* An event that was not counted makes what is computed of it unknown. */
static bool look_up_value(const void *from, const char *word, size_t length,
			  double *value)
{
	const struct values *v = from;
	const struct counts *c = v->counts;

	if (is_metric_word("time", word, length)) {
		*value = c->metrics[c->events] ? v->at[c->events] : NAN;
		return true;
	}
	for (size_t i = 0; i < v->group->event_count; i++) {
		if (!is_metric_word(v->group->events[i].word, word, length))
			continue;
		*value = NAN;
		for (size_t k = 0; k < c->events; k++)
			if (same_event(v->group->events[i].is,
				       event_name(c, k)))
				*value = v->at[k];
		return true;
	}
	return false;
}

static int compute_counts(double *to, const struct counts *c,
			  const struct event_group *group, size_t metric,
			  const double *at)
{
	const struct values from = { c, group, at };

	return formula_value(to, group->metrics[metric].is, look_up_value,
			     &from);
}

/* Tables */

static void events_table(struct report *report, const struct counts *c)
{
	report_table(report, "events", "events");
	report_column(report, "event", "event", COLUMN_TEXT);
	report_column(report, "count", "count", COLUMN_COUNT);
	report_column(report, "period", "sampled every", COLUMN_COUNT);
	report_column(report, "counted", "counted for", COLUMN_SHARE);
	report_column(report, "user_only", "mode", COLUMN_TEXT);
	for (size_t i = 0; i < c->events; i++) {
		const struct counting *how = &c->metrics[i]->counting;

		report_text(report, event_name(c, i));
		value_cell(report, UNIT_COUNT, c->total[i]);
		value_count(report, how->period ? how->period : NO_VALUE);
		report_number(report, value_ratio((double)how->running_ns,
						  (double)how->enabled_ns));
		report_text(report, how->user_only ? "user" : "all");
	}
}

/* Over the processes, for those that have a value. */
static int count_extremes(double *least, double *most, const struct counts *c,
			  const struct event_group *group, size_t metric)
{
	int err = 0;

	*least = *most = NAN;
	for (size_t i = 0; i < c->run->member_count && !err; i++) {
		double value;

		err = compute_counts(&value, c, group, metric,
				     &c->ranks[i * MOST]);
		if (err || !isfinite(value))
			continue;
		*least = fmin(*least, value);
		*most = fmax(*most, value);
	}
	return err;
}

static int derived_row(struct report *report, const struct counts *c,
		       const struct event_group *group, size_t metric)
{
	double value, least, most;
	int err = compute_counts(&value, c, group, metric, c->total);

	if (err || !isfinite(value))
		return err;
	err = count_extremes(&least, &most, c, group, metric);
	report_text(report, group->metrics[metric].word);
	report_number(report, value);
	value_known(report, least);
	value_known(report, most);
	report_text(report, group->name);
	return err;
}

static int derived_table(struct report *report, const struct counts *c)
{
	int err = 0;

	report_table(report, "derived", "what follows from them");
	report_column(report, "metric", "metric", COLUMN_TEXT);
	report_column(report, "value", "value", COLUMN_NUMBER);
	report_column(report, "min", "least", COLUMN_NUMBER);
	report_column(report, "max", "most", COLUMN_NUMBER);
	report_column(report, "group", "group", COLUMN_TEXT);
	for (size_t i = 0; i < c->group_count; i++)
		for (size_t k = 0; k < c->groups[i]->metric_count && !err; k++)
			err = derived_row(report, c, c->groups[i], k);
	return err;
}

/* The exclusive values of a function. */
static void function_values(const struct counts *c, const struct group *g,
			    double values[MOST])
{
	for (size_t i = 0; i <= c->events; i++) {
		uint32_t k = map_get(&c->index[i], g->function, g->module);

		values[i] = k == MAP_NONE ? 0 : c->functions[i].at[k].exclusive;
	}
}

static bool any_count(const struct counts *c, const double values[MOST])
{
	for (size_t i = 0; i <= c->events; i++)
		if (values[i] > 0)
			return true;
	return false;
}

/* "L1 misses / s" as a column of csv: "l1_misses_s". */
static void column_identifier(char *to, size_t size, const char *name)
{
	size_t used = 0;

	for (; *name && used < size - 1; name++) {
		if (isalnum((unsigned char)*name))
			to[used++] = (char)tolower((unsigned char)*name);
		else if (used && to[used - 1] != '_')
			to[used++] = '_';
	}
	to[used] = 0;
}

static void put_function_name(struct report *report, const struct counts *c,
			      const struct group *g)
{
	const char *name = str_at(&c->run->strings, g->function);

	report_text(report, *name ? name : "(no call path)");
	report_text(report, str_at(&c->run->strings, g->module));
}

static void functions_table(struct report *report, const struct counts *c,
			    const struct groups *by, size_t limit)
{
	double values[MOST];

	report_table(report, "functions", "functions");
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "module", NULL, COLUMN_LEFT_TEXT);
	report_column(report, "cpu_time", "time", COLUMN_SECONDS);
	for (size_t i = 0; i < c->events; i++)
		report_column(report, event_name(c, i),
			      i < WIDE ? event_name(c, i) : NULL, COLUMN_COUNT);
	for (size_t row = 0; row < limit; row++) {
		function_values(c, &by->at[row], values);
		if (!any_count(c, values))
			continue;
		put_function_name(report, c, &by->at[row]);
		report_number(report, values[c->events]);
		for (size_t i = 0; i < c->events; i++)
			value_cell(report, UNIT_COUNT, values[i]);
	}
}

/* Something can be computed from what was counted. */
static int group_applies(bool *to, const struct counts *c,
			 const struct event_group *group)
{
	double value;
	int err = 0;

	*to = false;
	for (size_t i = 0; i < group->metric_count && !err; i++) {
		err = compute_counts(&value, c, group, i, c->total);
		*to |= !err && isfinite(value);
	}
	return err;
}

static int group_row(struct report *report, const struct counts *c,
		     const struct event_group *group, const struct group *g)
{
	double values[MOST], value;
	int err = 0;

	function_values(c, g, values);
	if (!any_count(c, values))
		return 0;
	put_function_name(report, c, g);
	for (size_t i = 0; i < group->metric_count && !err; i++) {
		err = compute_counts(&value, c, group, i, values);
		value_known(report, err ? NAN : value);
	}
	return err;
}

static int group_table(struct report *report, const struct counts *c,
		       const struct event_group *group, const struct groups *by,
		       size_t limit)
{
	bool shown;
	int err = group_applies(&shown, c, group);

	if (err || !shown)
		return err;
	report_table(report, group->name, group->title);
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "module", NULL, COLUMN_LEFT_TEXT);
	for (size_t i = 0; i < group->metric_count; i++) {
		char id[64];

		column_identifier(id, sizeof(id), group->metrics[i].word);
		report_column(report, id, group->metrics[i].word,
			      COLUMN_NUMBER);
	}
	for (size_t row = 0; row < limit && !err; row++)
		err = group_row(report, c, group, &by->at[row]);
	return err;
}

static void count_notes(struct report *report, const struct counts *c)
{
	for (size_t i = 0; i < c->events; i++) {
		const struct counting *how = &c->metrics[i]->counting;
		double share = value_ratio((double)how->running_ns,
					   (double)how->enabled_ns);

		if (!how->running_ns)
			report_note(report,
				    "%s was never counted: the processor had "
				    "no counter free for it.",
				    event_name(c, i));
		else if (share < 0.995)
			report_note(report,
				    "%s took turns with other events: counted "
				    "for %.0f %% of the time, and scaled up.",
				    event_name(c, i), 100 * share);
		if (how->user_only)
			report_note(report,
				    "%s was counted in user mode only, "
				    "because this user may not watch the "
				    "kernel.",
				    event_name(c, i));
	}
	report_note(report,
		    "Events without a period are read at samples and MPI "
		    "calls: counts in between go to the path of the reading.");
}

/* The functions are those with most of what is asked for, else of time. */
static int fill_counts(struct report *report, const struct counts *c,
		       const struct analysis_options *options)
{
	const struct groups *by =
		&c->functions[c->metrics[c->events] ? c->events : 0];
	size_t limit;
	int err;

	for (size_t i = 0; options->metric && i < c->events; i++)
		if (!strcmp(c->metrics[i]->name, options->metric))
			by = &c->functions[i];
	limit = analysis_limit(options, 20, by->count);
	events_table(report, c);
	err = derived_table(report, c);
	functions_table(report, c, by, limit);
	for (size_t i = 0; i < c->group_count && !err; i++)
		err = group_table(report, c, c->groups[i], by, limit);
	count_notes(report, c);
	return err ? err : report_error(report);
}

static int run_counters(struct report **to, const struct run *const runs[],
			const struct analysis_options *options)
{
	struct counts counts = { .run = runs[0] };
	int err = analysis_one_run(runs, "counters");

	if (err)
		return err;
	if (options->metric && !analysis_metric(runs[0], options, NULL))
		return -EINVAL;
	if (!find_event_metrics(&counts))
		return fail(-ENODATA, "no events were counted in this run: "
				      "copse run -e EVENT or -g GROUP");
	err = counts_init(&counts);
	if (!err) {
		*to = analysis_report("counters", runs[0], NULL);
		err = *to ? fill_counts(*to, &counts, options) : -ENOMEM;
	}
	counts_fini(&counts);
	return err;
}

const struct analysis analysis_event_counts = {
	.name = "counters",
	.help = "events that were counted, and what follows from them",
	.takes = ANALYSIS_METRIC,
	.run = run_counters,
};
