/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-gate.c - copse gate: an exit status for CI, by rules on two sides. */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/compare/gate.h"
#include "analyse/summary/overview.h"
#include "base/err.h"
#include "base/str.h"
#include "tools/command.h"
#include "tools/show.h"

#define MOST_RULES 64

/* Mutable: the command's options. */
static struct show show = { .checks = true };
static const char *metric;
static const char *rules[MOST_RULES + 1];
static double confidence = 99, least = 1;

/* "3%", "=3%", " -2pp": what stands behind > in a rule. */
static bool is_limit(const char *text)
{
	size_t sign = strspn(text, "= -+");
	size_t digits = strspn(text + sign, "0123456789.");
	const char *unit = text + sign + digits;

	return digits && strspn(unit, "%psmu") == strlen(unit);
}

/*
 * total>3% without quotes is, to a shell, "total" with standard output in a
 * file called 3%.  NULL: that is not what happened here.
 */
static const char *cut_by_shell(const char *rule, char path[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/fd/1", path, PATH_MAX - 1);

	path[n > 0 ? n : 0] = 0;
	if (strpbrk(rule, "<>") || !strncmp(rule, "rule:", strlen("rule:")))
		return NULL;
	return is_limit(str_base(path)) ? str_base(path) : NULL;
}

static int add_rule(void *to, const char *text)
{
	char path[PATH_MAX];
	const char *limit = cut_by_shell(text, path);
	size_t count = 0;

	(void)to;
	if (limit)
		return fail(-EINVAL,
			    "quote the rule: --fail-if '%s>%s'; without quotes "
			    "the shell takes > for itself, and has made the "
			    "file %s",
			    text, limit + strspn(limit, "= "), limit);
	while (rules[count])
		count++;
	if (count == MOST_RULES)
		return fail(-EINVAL, "%d rules are the most", MOST_RULES);
	rules[count] = text;
	return 0;
}

static const struct option options[] = {
	{ 0, "fail-if", "RULE", "'total>3%', 'path(*)>5%', ...; more than once",
	  add_rule, NULL },
	{ 'm', "metric", "NAME", "of rules that name none (the sampled time)",
	  parse_string, &metric, show_metric },
	{ 0, "confidence", "PERCENT",
	  "per cent of gates on equal runs that pass (99)", parse_real,
	  &confidence },
	{ 0, "least", "PERCENT", "least share of paths that patterns match (1)",
	  parse_real, &least },
	{ 0, "idle-threads", "on|off",
	  "in wall.time: threads that only waited (off)", parse_string,
	  &show.idle_threads },
	{ 'f', "format", "NAME", "text, json, junit, csv or html", parse_string,
	  &show.format, show_table_format },
	{ 0, "table", "NAME", "csv: rules or tests (the first)", parse_string,
	  &show.table },
	{ 'o', "output", "FILE", "write there instead of standard output",
	  parse_string, &show.output },
	{ 0, "color", "auto|always|never", "text in colours", parse_string,
	  &show.colour },
	{ 0, "width", "N", "columns of text (the terminal's, or 100)",
	  show_set_width, &show.width },
	{ 0 },
};

/* "rule:NAME" asks what is there, and not what changed. */
static bool rules_are_of_one_run(void)
{
	for (size_t i = 0; rules[i]; i++)
		if (strncmp(rules[i], "rule:", strlen("rule:")) != 0)
			return false;
	return true;
}

static int check_gate_options(size_t words)
{
	if (!rules[0])
		return fail(-EINVAL, "which rule? --fail-if 'total>3%%'");
	if (confidence <= 0 || confidence >= 100 || least > 100)
		return fail(-EINVAL, "confidence and least are per cents");
	if (words == 1 && rules_are_of_one_run())
		return 0;
	if (words < 2)
		return fail(-EINVAL,
			    "which runs? copse gate BASE... vs NEW...");
	return 0;
}

static struct analysis_options options_of_gate(const struct shown_runs *runs)
{
	return (struct analysis_options){ .metric = metric,
					  .names = runs->names,
					  .base = runs->base,
					  .limit = SIZE_MAX };
}

static int judge_runs(struct report **to, bool *failed,
		      const struct shown_runs *runs)
{
	const struct gate_options gate = { .rules = rules,
					   .confidence = confidence / 100,
					   .least = least / 100 };
	const struct analysis_options how = options_of_gate(runs);

	return gate_run(to, failed, &gate, (const struct run *const *)runs->at,
			&how);
}

/* What changed, behind the verdict, which is taken over. */
static int show_gate_page(const struct format *format, struct report *verdict,
			  const struct shown_runs *runs)
{
	const struct overview_choice choice = { .only = analysis_find("diff"),
						.verdict = verdict };
	struct analysis_options how = options_of_gate(runs);
	struct overview overview;
	int err;

	how.limit = OVERVIEW_ROWS;
	err = overview_init(&overview, (const struct run *const *)runs->at,
			    &choice, &how);
	if (err)
		return err;
	err = show_overview(&show, format, &overview);
	overview_fini(&overview);
	return err;
}

static int gate_runs(int argc, char **argv)
{
	const struct format *format = show_chosen(&show);
	struct report *report = NULL;
	struct shown_runs runs = { 0 };
	bool failed = false;
	char *twice[] = { argc ? argv[0] : NULL, argc ? argv[0] : NULL, NULL };
	int err = format ? check_gate_options((size_t)argc) : -EINVAL;

	if (!err && argc == 1)
		err = shown_runs_open(&runs, "gate", twice, 2);
	else if (!err)
		err = shown_runs_open(&runs, "gate", argv, (size_t)argc);
	if (!err)
		err = shown_runs_idle(&show, &runs);
	if (!err)
		err = judge_runs(&report, &failed, &runs);
	if (!err && format->write_overview) {
		err = show_gate_page(format, report, &runs);
		report = NULL;
	} else if (!err) {
		err = show_report(&show, format, report);
	}
	report_free(report);
	shown_runs_close(&runs);
	/* Whatever went wrong is told by 2: 1 would be a verdict. */
	return err ? -EINVAL : failed;
}

const struct command command_gate = {
	.name = "gate",
	.synopsis = "--fail-if RULE [options] BASE... vs NEW...",
	.help = "fail when a program got slower, for CI: 0 passed, 1 failed, 2 "
		"no verdict",
	.options = options,
	.run = gate_runs,
};
