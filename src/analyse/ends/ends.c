/* SPDX-License-Identifier: BSD-3-Clause */
/* ends.c - what ranks did in the end: who waited for whom. */
#include "analyse/ends/ends.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/ends/wait-graph.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/paths/paths.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/signal-name.h"
#include "profile/profile.h"

#define WORTH_NS   1000000000u /* waiting that is worth a sentence … */
#define WORTH      0.05        /* … and the share of the run that it is */
#define ROWS_SHOWN 20

static uint32_t comm_of_id(const struct run *run, uint64_t id)
{
	for (uint32_t i = 0; id && i < run->calls.comm_count; i++)
		if (run->calls.comms[i].id == id)
			return i;
	return RUN_NO_COMM;
}

/* ", collective call 12 of all ranks,"; to be freed. */
static char *group_text(const struct wait_graph *g, uint32_t group)
{
	const struct wait_group *at = &g->groups[group];
	char *comm = callsite_comm_text(g->run, comm_of_id(g->run, at->comm)),
	     *text = comm ? str_format("collective call %" PRIu64 " of %s",
				       at->instance + 1, comm)
			  : strdup("");

	free(comm);
	return text;
}

/* The run goes on. */
static bool is_running_still(const struct wait_graph *g)
{
	return g->run->ends.looked_ns;
}

/* How a rank ended that others waited for; to be freed. */
static char *end_text(const struct paths *paths, uint32_t member)
{
	const struct run_rank *r = &paths->run->ranks[member];
	const char *name = signal_name((int)r->end_code);
	char *place, *text;

	if (!r->end_code)
		return strdup("which had ended");
	if (r->end != END_SIGNAL)
		return str_format("which had ended with status %u",
				  r->end_code);
	place = ends_last_place(paths, member);
	if (!place)
		return NULL;
	text = name ? str_format("which had been killed by SIG%s%s", name,
				 place)
		    : str_format("which had been killed by signal %u%s",
				 r->end_code, place);
	free(place);
	return text;
}

/* What a rank did that others waited for; to be freed. */
static char *stand_text(const struct wait_graph *g, const struct paths *paths,
			uint32_t member)
{
	const struct standing *s = &g->at[member];
	char age[32], *where, *text;
	bool polls = s->stand == STAND_POLLS, call = s->stand == STAND_CALL;

	if (s->stand == STAND_UNKNOWN)
		return strdup("of which nothing is known");
	if (s->stand == STAND_STOPPED)
		return strdup("which is stopped, by a signal or a queue");
	if (s->call && s->call->doing && !call)
		return str_format("which is outside MPI and %s",
				  str_at(&g->run->strings, s->call->doing));
	if (s->stand == STAND_ENDED)
		return end_text(paths, member);
	where = ends_where(paths, call || polls ? s->call->node
						: s->call->sample_node);
	phrase_time(age, (double)s->call->sample_age_ns / 1e9);
	if (!where)
		return NULL;
	if (call)
		text = str_format("which %s in %s",
				  is_running_still(g) ? "is" : "was", where);
	else if (polls)
		text = str_format("which %s in vain in %s",
				  is_running_still(g) ? "polls" : "polled",
				  where);
	else if (s->call->sample_age_ns < ENDS_RECENTLY_NS)
		text = str_format("which %s in %s",
				  is_running_still(g) ? "computes" : "computed",
				  where);
	else
		text = str_format("which was outside MPI and had not had a "
				  "core for %s, last in %s",
				  age, where);
	free(where);
	return text;
}

/* The call path in which most of the verdict's ranks wait. */
static uint32_t waiting_member(const struct wait_graph *g,
			       const struct paths *paths, uint32_t verdict)
{
	uint32_t *counts = calloc(paths->count + 1, sizeof(*counts)), best = 0;
	uint32_t member = WAIT_NOBODY;

	for (uint32_t i = 0; counts && i < g->run->member_count; i++) {
		const struct standing *s = &g->at[i];

		if (s->verdict != verdict || !wait_graph_waits(g, i))
			continue;
		if (++counts[paths->of[s->call->node]] > best) {
			best = counts[paths->of[s->call->node]];
			member = i;
		}
	}
	free(counts);
	return member;
}

/* Whom the ranks waited for; to be freed. */
static char *blamed_text(const struct wait_graph *g, const struct paths *paths,
			 const struct wait_verdict *v)
{
	uint64_t number = v->culprit == WAIT_NOBODY
				  ? 0
				  : processes_number(g->run, v->culprit);
	char *what = v->kind == VERDICT_RANK || v->kind == VERDICT_INSTEAD
			     ? stand_text(g, paths, v->culprit)
			     : NULL;
	char *text = NULL;

	switch (v->kind) {
	case VERDICT_RANK:
		text = what ? str_format("for rank %" PRIu64 ", %s", number,
					 what)
			    : NULL;
		break;
	case VERDICT_INSTEAD:
		text = what ? str_format("for rank %" PRIu64 ", %s instead",
					 number, what)
			    : NULL;
		break;
	case VERDICT_CIRCLE:
		text = strdup("for one another's messages, in a circle");
		break;
	case VERDICT_ARRIVED:
		text = strdup("although all had come to it: the MPI library, "
			      "or the network, had not delivered");
		break;
	default:
		text = strdup("for a message, and it is not known whose");
		break;
	}
	free(what);
	return text;
}

static void say_wait_verdict(struct report *report, const struct wait_graph *g,
			     const struct paths *paths, const char *mark,
			     const struct wait_verdict *v)
{
	uint32_t verdict = (uint32_t)(v - g->verdicts);
	uint32_t member = waiting_member(g, paths, verdict);
	char *where = NULL, *blamed = blamed_text(g, paths, v), *group;
	char age[32];

	if (member == WAIT_NOBODY) {
		free(blamed);
		return;
	}
	where = ends_where(paths, g->at[member].call->node);
	group = g->at[member].group == WAIT_NOBODY
			? strdup("")
			: group_text(g, g->at[member].group);
	phrase_time(age, (double)v->age_ns / 1e9);
	if (where && blamed && group)
		report_line(report, "%s%u of %u ranks %s %s in %s%s%s, %s.",
			    mark, v->waiting, g->run->world,
			    is_running_still(g) ? "have been waiting for"
						: "had waited for",
			    age, where, *group ? ", " : "", group, blamed);
	report->failed |= !where || !blamed || !group;
	free(where);
	free(blamed);
	free(group);
}

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

int ends_findings(struct report *report, const struct paths *paths)
{
	const struct wait_verdict *v;
	struct wait_graph g;
	int err;

	if (!paths->run->ends.call_count)
		return 0;
	err = wait_graph_init(&g, paths->run);
	if (err)
		return err;
	v = wait_graph_main(&g);
	if (stood_still(&g, v))
		say_wait_verdict(report, &g, paths, "! ", v);
	wait_graph_fini(&g);
	return 0;
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

static const char *const stand_words[] = {
	[STAND_UNKNOWN] = "not known", [STAND_ENDED] = "ended",
	[STAND_STOPPED] = "stopped",   [STAND_OUTSIDE] = "outside",
	[STAND_POLLS] = "polls",       [STAND_CALL] = "call",
};

/* Where the member was: in its call, or where it was sampled last. */
static uint32_t stand_node(const struct standing *s)
{
	if (!s->call)
		return 0;
	return s->stand >= STAND_POLLS ? s->call->node : s->call->sample_node;
}

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
	       c->path == paths->of[stand_node(s)];
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
				.path = paths->of[stand_node(s)],
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
	char *group = c->group == WAIT_NOBODY ? NULL : group_text(g, c->group);
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
			    "MPI within %s.",
			    moved, known, time);
	else
		report_line(report,
			    "No rank completed a call of MPI within %s.", time);
	return moved && moved == known;
}

static int fill_ends(struct report *report, const struct run *run,
		     const struct analysis_options *options)
{
	struct wait_graph g;
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	err = wait_graph_init(&g, run);
	if (!err) {
		bool goes_on = is_running_still(&g) && say_moved(report, &g);

		for (size_t i = 1; i < g.verdict_count && !goes_on; i++)
			say_wait_verdict(report, &g, &paths, "",
					 &g.verdicts[i]);
		err = classes_table(report, &g, &paths, options);
		wait_graph_fini(&g);
	}
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
		report_line(report, "Nothing is known: no call of MPI or CUDA "
				    "was seen, or an older copse measured.");
	else
		err = fill_ends(report, runs[0], options);
	if (!err)
		err = report_error(report);
	if (err)
		report_free(report);
	else
		*to = report;
	return err;
}

const struct analysis analysis_ends = {
	.name = "ends",
	.help = "what ranks did in the end: who waited for whom",
	.run = run_ends_analysis,
};
