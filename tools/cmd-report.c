/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-report.c - copse report: from a profile to the answer. */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "analyse/base/python-words.h"
#include "base/err.h"
#include "base/spelling.h"
#include "base/str.h"
#include "format/format.h"
#include "tools/command.h"
#include "tools/help.h"
#include "tools/pick.h"
#include "tools/show.h"

#define PRUNE 0.01 /* the least share of a tree's calls */

/* Mutable: a command's options. */
static struct show show;
static const char *metric;
static const char *limit_text, *rank_text, *window;
static bool by_line, bottom_up, collapse, weak, sources;
static double prune = -1; /* not given */

static int set_sources(void *to, const char *text)
{
	bool on = !strcmp(text, "on");

	if (!on && strcmp(text, "off") != 0)
		return fail(-EINVAL, "--sources is on or off, not '%s'", text);
	*(bool *)to = on;
	return 0;
}

static const struct option options[] = {
	{ 'f', "format", "NAME", "text, html, csv, json, folded", parse_string,
	  &show.format, show_format },
	{ 'm', "metric", "NAME", "what to rank by: cpu.time, mpi.time, ...",
	  parse_string, &metric, show_metric, ANALYSIS_METRIC },
	{ 'n', "limit", "N", "how many rows; 0: all", parse_string,
	  &limit_text },
	{ 0, "rank", "N", "one rank alone: what its file has", parse_string,
	  &rank_text },
	{ 0, "by-line", NULL, "hotspots: lines instead of functions",
	  parse_flag, &by_line, .needs = ANALYSIS_LINES },
	{ 0, "bottom-up", NULL, "tree: callers of each function", parse_flag,
	  &bottom_up, .needs = ANALYSIS_TREE },
	{ 0, "collapse", NULL, "each package of Python as one function",
	  parse_flag, &collapse, .needs = ANALYSIS_COLLAPSE },
	{ 0, "prune", "PERCENT", "tree: leave out calls below this share (1)",
	  parse_real, &prune, .needs = ANALYSIS_TREE },
	{ 0, "weak", NULL, "scaling: the work grew with the ranks", parse_flag,
	  &weak, .needs = ANALYSIS_WEAK },
	{ 0, "idle-threads", "on|off",
	  "in wall.time: threads that only waited (off)", parse_string,
	  &show.idle_threads, .needs = ANALYSIS_IDLE },
	{ 0, "window", "WHEN",
	  "gpu-trace: 1.25-1.30 (s), iteration:K-L, or a range, NAME:K-L",
	  parse_string, &window, .needs = ANALYSIS_WINDOW },
	{ 0, "table", "NAME", "csv: which of the tables (the first)",
	  parse_string, &show.table },
	{ 0, "sources", "on|off",
	  "html: the text of the lines that take most (off)", set_sources,
	  &sources },
	{ 'o', "output", "FILE", "write there instead of standard output",
	  parse_string, &show.output },
	{ 0, "color", "auto|always|never", "text in colours", parse_string,
	  &show.colour },
	{ 0, "width", "N", "columns of text (the terminal's, or 100)",
	  show_set_width, &show.width },
	{ 0 },
};

/* -EINVAL with a reason that lists the analyses. */
static int unknown_analysis(const char *word)
{
	char known[512] = "";
	struct spelling near;
	size_t used = 0;

	spelling_begin(&near, word);
	for (size_t i = 0; analyses[i]; i++)
		spelling_try(&near, analyses[i]->name);
	guess_foreign(&near);
	for (size_t i = 0; analyses[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", i ? ", " : "",
					 analyses[i]->name);
	return fail(-EINVAL,
		    "'%s' is neither a profile nor an analysis%s analyses: %s",
		    word, spelling_hint(&near), known);
}

/* What can be typed, of what is here if something is. */
static int which_profile(const char *analysis)
{
	char *here = pick_here();
	int err = fail(-EINVAL, "which profile? %scopse report %s%s%s",
		       here ? "the newest here: " : "", analysis,
		       *analysis ? " " : "", here ? here : "APP.copse");

	free(here);
	return err;
}

/* The first word, when it names no run, is an analysis. */
static int pick_analysis(const struct analysis **to, const char *word,
			 const struct format *format)
{
	*to = word ? analysis_find(word) : NULL;
	if (*to)
		return 1;
	*to = format->tables ? analyses[0] : analysis_find("tree");
	if (!word)
		return which_profile("");
	if (!strpbrk(word, "./") && access(word, F_OK) && !pick_finds(word))
		return unknown_analysis(word);
	return 0;
}

static int set_options(struct analysis_options *to, const struct format *format)
{
	uint64_t limit = 0;

	*to = (struct analysis_options){ .metric = metric,
					 .by_line = by_line,
					 .bottom_up = bottom_up,
					 .weak = weak,
					 .window = window,
					 .prune = prune < 0 ? PRUNE
							    : prune / 100 };
	if (limit_text && !str_to_uint(limit_text, &limit))
		return fail(-EINVAL, "limit wants a number, not '%s'",
			    limit_text);
	if (prune > 100)
		return fail(-EINVAL, "prune wants a share from 0 to 100");
	to->limit = (size_t)limit;
	/* Programs get all rows, readers those that the analysis chooses. */
	if (limit_text ? !limit
		       : format != formats[0] && !format->write_overview)
		to->limit = SIZE_MAX;
	if (!format->tables)
		to->prune = 0;
	return 0;
}

static bool analysis_takes(const char *word, unsigned int what)
{
	return analysis_find(word)->takes & what;
}

/* "hotspots, tree": the analyses that take an option. */
static void analyses_taking(char *to, size_t size, unsigned int option)
{
	size_t used = 0;

	for (size_t i = 0; analyses[i] && used < size; i++)
		if (analyses[i]->takes & option)
			used += (size_t)snprintf(to + used, size - used, "%s%s",
						 used ? ", " : "",
						 analyses[i]->name);
}

static bool is_given(const struct option *o)
{
	if (o->set == parse_flag)
		return *(const bool *)o->to;
	if (o->set == parse_real)
		return *(const double *)o->to >= 0;
	return *(const char *const *)o->to != NULL;
}

/* An option that would be ignored is a mistake. */
static int check_report_options(const struct analysis *analysis)
{
	char known[256] = "";

	for (const struct option *o = options; o->name; o++) {
		if (!o->needs || !is_given(o) || analysis->takes & o->needs)
			continue;
		analyses_taking(known, sizeof(known), o->needs);
		return fail(-EINVAL,
			    "%s does not take --%s; what does: copse report %s",
			    analysis->name, o->name, known);
	}
	return 0;
}

/* Behind the profile an analysis is taken for another one. */
static int check_order(char **words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (analysis_find(words[i]) && access(words[i], F_OK))
			return fail(-EINVAL,
				    "the analysis comes before the profile: "
				    "copse report %s %s",
				    words[i], words[!i]);
	return 0;
}

/* Folded stacks have no room for sentences. */
static void say_notes(const struct report *report)
{
	for (size_t i = 0; i < report->note_count; i++)
		fprintf(stderr, "copse report: %s\n", report->notes[i]);
}

static int make_one_report(const struct format *format,
			   const struct analysis *analysis,
			   const struct shown_runs *runs,
			   const struct analysis_options *how)
{
	struct report *made = NULL;
	int err =
		analysis->run(&made, (const struct run *const *)runs->at, how);

	if (!err)
		err = show_report(&show, format, made);
	if (!err && !format->tables)
		say_notes(made);
	report_free(made);
	return err;
}

/* analysis NULL: all. */
static int make_overview(const struct format *format,
			 const struct analysis *analysis,
			 const struct shown_runs *runs,
			 const struct analysis_options *how)
{
	const struct overview_choice choice = { .only = analysis,
						.sources = sources };
	struct overview overview;
	int err = overview_init(&overview, (const struct run *const *)runs->at,
				&choice, how);

	if (err)
		return err;
	show_sources("report", &overview);
	err = show_overview(&show, format, &overview);
	overview_fini(&overview);
	return err;
}

/* The file of the rank in the directory of a run; to be freed, or NULL. */
static char *rank_file(const char *word)
{
	char *run = pick_run(word, "report"), *file = NULL;
	uint64_t rank;

	if (!run)
		return NULL;
	if (!str_to_uint(rank_text, &rank))
		fail(-EINVAL, "rank wants a number, not '%s'", rank_text);
	else if (!(file = str_format("%s/rank-%" PRIu64 ".h5", run, rank)))
		no_memory();
	else if (access(file, F_OK)) {
		fail(-EINVAL,
		     "there is no %s; --rank wants the directory of a run "
		     "with one file for each rank",
		     file);
		free(file);
		file = NULL;
	}
	free(run);
	return file;
}

/* What the words name, or the rank's file of the only one. */
static int open_shown(struct shown_runs *runs, char **words, size_t count)
{
	char *file;
	int err;

	*runs = (struct shown_runs){ 0 };
	if (!rank_text)
		return shown_runs_open(runs, "report", words, count);
	if (count > 1)
		return fail(-EINVAL, "--rank takes one run at a time");
	file = rank_file(words[0]);
	if (!file)
		return -EINVAL;
	err = shown_runs_open(runs, "report", &file, 1);
	free(file);
	return err;
}

static int show_analysis(const struct format *format,
			 const struct analysis *analysis, bool all,
			 char **words, size_t count)
{
	struct analysis_options how;
	struct shown_runs runs;
	int err = check_report_options(analysis);

	if (!err)
		err = set_options(&how, format);
	if (!err)
		err = check_order(words, count);
	if (err)
		return err;
	err = open_shown(&runs, words, count);
	fail_step("analysing");
	if (!err)
		err = shown_runs_idle(&show, &runs);
	for (size_t i = 0; collapse && i < runs.count && !err; i++)
		err = packages_collapse(runs.at[i]);
	how.names = runs.names;
	how.base = runs.base;
	if (!err && runs.base && strcmp(analysis->name, "diff") != 0)
		err = fail(-EINVAL, "'vs' is a word of copse report diff");
	if (!err && sources && !format->write_overview)
		err = fail(-EINVAL, "--sources is for html: add -f html");
	if (!err && format->write_overview)
		err = make_overview(format, all ? NULL : analysis, &runs, &how);
	else if (!err)
		err = make_one_report(format, analysis, &runs, &how);
	shown_runs_close(&runs);
	return err;
}

static int report_runs(int argc, char **argv)
{
	const struct format *format = show_chosen(&show);
	const struct analysis *analysis;
	int words;

	if (!format)
		return -EINVAL;
	words = pick_analysis(&analysis, argc ? argv[0] : NULL, format);
	if (words < 0)
		return words;
	if (words == argc)
		return which_profile(analysis->name);
	return show_analysis(format, analysis, !words, argv + words,
			     (size_t)(argc - words));
}

static const char *analysis_word(size_t i, const char **help)
{
	*help = analyses[i] ? analyses[i]->help : NULL;
	return analyses[i] ? analyses[i]->name : NULL;
}

/* doc/local.mk has them. */
static void analysis_page(FILE *to, const char *word)
{
	if (!strncmp(word, "gpu-", 4))
		fputs("copse-gpu", to);
	else
		fprintf(to, "copse-report-%s", word);
}

const struct command command_report = {
	.name = "report",
	.synopsis = "[ANALYSIS] [options] DIR|run.h5 ...",
	.help = "where the time went: a summary, or another of its analyses",
	.words = "analyses",
	.word = analysis_word,
	.takes = analysis_takes,
	.page = analysis_page,
	.options = options,
	.run = report_runs,
};
