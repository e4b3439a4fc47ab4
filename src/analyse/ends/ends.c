/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - what ranks did in the end: who waited for whom. */
#include "analyse/ends/ends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/ends/verdict.h"
#include "base/comparison.h"
#include "base/err.h"
#include "profile/profile.h"

#define WORTH_NS   1000000000u /* waiting that is worth a sentence … */
#define WORTH      0.05        /* … and the share of the run that it is */
#define ROWS_SHOWN 20

/* A call that did not return says so; who polled may have been done. */
static bool is_cut_off(const struct standing *s, const struct run_rank *r)
{
	return s->stand == STAND_CALL ||
	       (s->stand == STAND_POLLS && (r->end != END_EXIT || r->end_code));
}

/* Most ranks waited for longer than is worth a word. */
static bool stood_still(const struct wait_graph *g,
			const struct wait_verdict *v)
{
	const struct run *run = g->run;
	uint64_t longest = 0;
	bool cut_off = false;

	for (uint32_t i = 0; v && i < run->member_count; i++) {
		const struct run_rank *r = &run->ranks[i];

		cut_off |= wait_graph_waits(g, i) && is_cut_off(&g->at[i], r);
		if (r->elapsed_ns > longest)
			longest = r->elapsed_ns;
	}
	return cut_off && v->age_ns >= WORTH_NS &&
	       (double)v->age_ns >= WORTH * (double)longest;
}

/* The sentence and what to do; how sure that is, unless it is certain. */
static int say_wait_verdict(struct report *report,
			    const struct verdict_rules *rules,
			    const struct wait_graph *g,
			    const struct paths *paths, const char *mark,
			    const struct wait_verdict *v)
{
	struct verdict verdict;
	int err = verdict_find(&verdict, rules, g, paths, v);
	const struct diagnosis_rule *rule = verdict.rule;
	bool doubt = rule && rule->sure && strcmp(rule->sure, "certain") != 0;

	if (!err && verdict.text)
		report_line(report, "%s%s.%s%s%s%s%s", mark, verdict.text,
			    rule ? " " : "", rule ? rule->advice : "",
			    doubt ? " (" : "", doubt ? rule->sure : "",
			    doubt ? ")" : "");
	free(verdict.text);
	return err;
}

static int say_main_verdict(struct report *report, const struct wait_graph *g,
			    const struct paths *paths)
{
	const struct wait_verdict *v = wait_graph_main(g);
	struct verdict_rules rules;
	int err;

	if (!stood_still(g, v))
		return 0;
	err = verdict_rules_init(&rules);
	if (!err)
		err = say_wait_verdict(report, &rules, g, paths, "! ", v);
	verdict_rules_fini(&rules);
	return err;
}

int ends_findings(struct report *report, const struct paths *paths)
{
	struct wait_graph g;
	int err;

	if (!paths->run->ends.call_count)
		return 0;
	err = wait_graph_init(&g, paths->run);
	if (!err)
		err = say_main_verdict(report, &g, paths);
	wait_graph_fini(&g);
	return err;
}

int ends_judge(struct ends_judgement *to, const struct run *run)
{
	const struct wait_verdict *v;
	struct wait_graph g;
	bool moves, outside = false;
	int err = wait_graph_init(&g, run);

	if (err)
		return err;
	v = wait_graph_main(&g);
	moves = !v;
	for (size_t i = 0; i < run->member_count; i++) {
		const struct standing *s = &g.at[i];

		moves |= s->stand == STAND_STOPPED ||
			 (s->call && s->call->moved);
		outside |= s->stand == STAND_OUTSIDE;
	}
	*to = (struct ends_judgement){
		.state = moves     ? ENDS_MOVES
			 : outside ? ENDS_OUTSIDE
				   : ENDS_STUCK,
		.age_ns = v ? v->age_ns : 0,
	};
	wait_graph_fini(&g);
	return 0;
}

/*
 * The report.
 */

static uint64_t stand_age(const struct standing *s)
{
	if (!s->call)
		return 0;
	return s->stand == STAND_CALL ? s->call->begin_age_ns
				      : s->call->completed_age_ns;
}

/* Ranks that stand alike are one row. */
struct ends_class {
	uint32_t path, group, first, count;
	enum stand stand;
	uint64_t age_ns;
};

static bool are_alike(const struct wait_graph *g, const struct paths *paths,
		      const struct ends_class *c, uint32_t member)
{
	const struct standing *s = &g->at[member];

	return c->stand == s->stand && c->group == s->group &&
	       c->path == paths->of[verdict_node(s)];
}

static size_t find_classes(struct ends_class *to, const struct wait_graph *g,
			   const struct paths *paths)
{
	size_t count = 0;

	for (uint32_t i = 0; i < g->run->member_count; i++) {
		const struct standing *s = &g->at[i];
		size_t c = 0;

		while (c < count && !are_alike(g, paths, &to[c], i))
			c++;
		if (c == count)
			to[count++] = (struct ends_class){
				.path = paths->of[verdict_node(s)],
				.group = s->group,
				.first = i,
				.stand = s->stand,
			};
		to[c].count++;
		if (stand_age(s) > to[c].age_ns)
			to[c].age_ns = stand_age(s);
	}
	return count;
}

ORDER_BY(by_class_count, struct ends_class, DESC(count) ?: ASC(first))

static char *class_ranks(const struct wait_graph *g, const struct paths *paths,
			 const struct ends_class *c)
{
	uint32_t *picked = calloc(g->run->member_count + 1, sizeof(*picked));
	size_t count = 0;
	char *text;

	for (uint32_t i = 0; picked && i < g->run->member_count; i++)
		if (are_alike(g, paths, c, i))
			picked[count++] = i;
	text = picked ? processes_list(g->run, picked, count) : NULL;
	free(picked);
	return text;
}

static void class_row(struct report *report, const struct wait_graph *g,
		      const struct paths *paths, const struct ends_class *c)
{
	char *ranks = class_ranks(g, paths, c);
	char *group = c->group == WAIT_NOBODY ? NULL
					      : verdict_group_text(g, c->group);
	uint32_t next = g->at[c->first].next;

	report_text(report, ranks);
	report_count(report, c->count);
	report_text(report, stand_words[c->stand]);
	report_number(report, (double)c->age_ns / 1e9);
	paths_cell(report, paths, c->path);
	if (next == WAIT_NOBODY)
		report_none(report);
	else
		report_count(report, processes_number(g->run, next));
	report_text(report, group);
	free(ranks);
	free(group);
}

static int classes_table(struct report *report, const struct wait_graph *g,
			 const struct paths *paths,
			 const struct analysis_options *options)
{
	struct ends_class *classes =
		calloc(g->run->member_count + 1, sizeof(*classes));
	size_t count = classes ? find_classes(classes, g, paths) : 0;
	size_t limit = analysis_limit(options, ROWS_SHOWN, count);

	if (!classes)
		return no_memory();
	qsort(classes, count, sizeof(*classes), by_class_count);
	report_table(report, "ends", "in the end");
	report_column(report, "ranks", "ranks", COLUMN_TEXT);
	report_column(report, "count", "count", COLUMN_COUNT);
	report_column(report, "stand", "in", COLUMN_TEXT);
	report_column(report, "seconds", "since", COLUMN_SECONDS);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "waits_for", "for rank", COLUMN_COUNT);
	report_column(report, "operation", "operation", COLUMN_TEXT);
	report_spare(report);
	for (size_t i = 0; i < limit; i++)
		class_row(report, g, paths, &classes[i]);
	free(classes);
	return 0;
}

/* Whether the job is stuck at all; true: all ranks have moved. */
static bool say_moved(struct report *report, const struct wait_graph *g)
{
	const char *library = run_has_mpi(g->run) ? "MPI" : "CUDA";
	size_t moved = 0, known = 0, stopped = 0;
	char time[32];

	for (size_t i = 0; i < g->run->member_count; i++) {
		known += g->at[i].call != NULL;
		moved += g->at[i].call && g->at[i].call->moved;
		stopped += g->at[i].stand == STAND_STOPPED;
	}
	phrase_time(time, (double)g->run->ends.looked_ns / 1e9);
	if (stopped)
		report_line(report, "Stopped, not stuck: %zu of %zu ranks.",
			    stopped, known);
	else if (moved)
		report_line(report,
			    "Not stuck: %zu of %zu ranks completed calls of "
			    "%s within %s.",
			    moved, known, library, time);
	else
		report_line(report, "No rank completed a call of %s within %s.",
			    library, time);
	return moved && moved == known;
}

static void verdict_row(struct report *report, const struct wait_graph *g,
			const struct wait_verdict *v,
			const struct verdict *verdict)
{
	const struct diagnosis_rule *rule = verdict->rule;

	report_text(report, rule ? rule->name : NULL);
	report_text(report, rule ? rule->sure : NULL);
	report_count(report, v->waiting);
	report_number(report, (double)v->age_ns / 1e9);
	if (v->culprit == WAIT_NOBODY)
		report_none(report);
	else
		report_count(report, processes_number(g->run, v->culprit));
	report_text(report, verdict->text);
	report_text(report, rule ? rule->advice : NULL);
}

/* For programs: what the sentences above say. */
static int verdicts_table(struct report *report,
			  const struct verdict_rules *rules,
			  const struct wait_graph *g, const struct paths *paths)
{
	int err = 0;

	report_table(report, "verdicts", NULL);
	report_column(report, "rule", NULL, COLUMN_TEXT);
	report_column(report, "sure", NULL, COLUMN_TEXT);
	report_column(report, "waiting", NULL, COLUMN_COUNT);
	report_column(report, "seconds", NULL, COLUMN_SECONDS);
	report_column(report, "for_rank", NULL, COLUMN_COUNT);
	report_column(report, "says", NULL, COLUMN_TEXT);
	report_column(report, "advice", NULL, COLUMN_TEXT);
	for (size_t i = 1; i < g->verdict_count && !err; i++) {
		const struct wait_verdict *v = &g->verdicts[i];
		struct verdict verdict;

		err = verdict_find(&verdict, rules, g, paths, v);
		if (!err && verdict.text)
			verdict_row(report, g, v, &verdict);
		free(verdict.text);
	}
	return err;
}

/* Of a run that goes on: who has made no call yet, and what could not be read.
 */
static void say_problems(struct report *report, const struct run *run)
{
	for (size_t i = 0; run->ends.looked_ns && i < run->problem_count; i++)
		report_line(report, "%s: %s.",
			    str_at(&run->strings, run->problems[i].source),
			    str_at(&run->strings, run->problems[i].text));
}

/* No rank has made a call. */
static void say_nothing(struct report *report, const struct run *run)
{
	if (!run->ends.looked_ns)
		report_line(report, "Nothing is known: no call of MPI or CUDA "
				    "was seen, or an older copse measured.");
	else
		report_line(report,
			    "No rank has made a call of MPI or CUDA yet.");
	say_problems(report, run);
}

static int fill_ends(struct report *report, const struct run *run,
		     const struct analysis_options *options)
{
	struct verdict_rules rules = { 0 };
	struct wait_graph g = { 0 };
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	err = wait_graph_init(&g, run);
	if (!err)
		err = verdict_rules_init(&rules);
	if (!err) {
		bool goes_on = run->ends.looked_ns && say_moved(report, &g);

		for (size_t i = 1; i < g.verdict_count && !goes_on && !err; i++)
			err = say_wait_verdict(report, &rules, &g, &paths, "",
					       &g.verdicts[i]);
	}
	say_problems(report, run);
	if (rules.problem)
		report_note(report, "%s", rules.problem);
	if (!err)
		err = classes_table(report, &g, &paths, options);
	if (!err)
		err = verdicts_table(report, &rules, &g, &paths);
	verdict_rules_fini(&rules);
	wait_graph_fini(&g);
	paths_fini(&paths);
	return err;
}

static int run_ends_analysis(struct report **to, const struct run *const runs[],
			     const struct analysis_options *options)
{
	struct report *report;
	int err = analysis_one_run(runs, "ends");

	if (err)
		return err;
	report = analysis_report(runs[0]->ends.looked_ns ? "stuck" : "ends",
				 runs[0], NULL);
	if (!report)
		return -ENOMEM;
	if (!runs[0]->ends.call_count)
		say_nothing(report, runs[0]);
	else
		err = fill_ends(report, runs[0], options);
	return report_give(to, report, err);
}

const struct analysis analysis_ends = {
	.name = "ends",
	.help = "what ranks did in the end: who waited for whom",
	.run = run_ends_analysis,
};
