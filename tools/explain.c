/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - look a word up in all tables that a user can name. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/rule.h"
#include "base/err.h"
#include "base/spelling.h"
#include "live/layout.h"
#include "tools/command.h"
#include "tools/explain.h"
#include "tools/help.h"
#include "tools/wrap.h"

enum {
	COLUMN = 8,
	WIDTH = 80
};

static bool explain_command(const char *word)
{
	const struct command *command = command_find(word);

	if (command)
		help_command(stdout, command, NULL);
	for (size_t i = 0; commands[i] && !command; i++) {
		if (!help_of_word(commands[i], word))
			continue;
		command = commands[i];
		help_command(stdout, command, word);
	}
	return command;
}

static bool explain_option(const char *word)
{
	char text[OPTION_SIZE];
	bool found = false;

	snprintf(text, sizeof(text), "%s%s", *word == '-' ? "" : "--", word);
	for (size_t i = 0; commands[i]; i++) {
		const struct option *o = option_find(commands[i], text);

		if (!o)
			continue;
		printf("option of copse %s\n", commands[i]->name);
		help_option(stdout, o, COLUMN);
		found = true;
	}
	return found;
}

static bool explain_row(const char *word, const char *name, const char *what,
			const char *help)
{
	if (strcmp(word, name) != 0)
		return false;
	printf("%s %s\n%*s", what, name, COLUMN, "");
	wrap_text(stdout, help, COLUMN, WIDTH);
	return true;
}

static bool explain_rows(const char *word)
{
	bool found = false;

	for (size_t i = 0; i < METRIC_COUNT; i++)
		found |= explain_row(word, metric_infos[i].name, "metric",
				     metric_infos[i].help);
	for (size_t i = 0; i < LOSS_COUNT; i++)
		found |= explain_row(word, loss_infos[i].name, "loss",
				     loss_infos[i].help);
	return found;
}

static void explain_lines(const char *what, const char *const *lines,
			  size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("  %-8s %s\n", what, lines[i]);
}

/* A rule of copse report diagnose: its terms, and the text behind them. */
static bool explain_rule(const char *word)
{
	struct diagnosis_rule *rule;

	if (strchr(word, '/') || diagnosis_rule_load(&rule, word))
		return false;
	printf("rule %s: %s\n\n%s\n", rule->name, rule->title, rule->explain);
	printf("It is asked of each of `%s`: %s.\n", rule->about->name,
	       rule->about->meaning);
	explain_lines("when", rule->when, rule->when_count);
	explain_lines("severe", rule->severe, rule->severe_count);
	explain_lines("gain", &rule->gain, rule->gain != NULL);
	explain_lines("advice", &rule->advice, 1);
	explain_lines("source", &rule->source, 1);
	diagnosis_rule_free(rule);
	return true;
}

static int nothing_known(const char *word)
{
	const char *known, *help;
	struct spelling near;
	char **rules;

	spelling_begin(&near, word);
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		spelling_try(&near, c->name);
		for (size_t j = 0; c->word && (known = c->word(j, &help)); j++)
			spelling_try(&near, known);
	}
	for (size_t i = 0; i < METRIC_COUNT; i++)
		spelling_try(&near, metric_infos[i].name);
	rules = diagnosis_rule_names();
	for (size_t i = 0; rules && rules[i]; i++)
		spelling_try(&near, rules[i]);
	fprintf(stderr,
		"copse: nothing is called '%s'%s copse --help lists the "
		"commands\n",
		word, spelling_hint(&near));
	free(rules);
	return 2;
}

int explain(const char *word)
{
	bool found = explain_command(word);

	if (!found) {
		found = explain_option(word);
		found |= explain_rows(word);
		found |= explain_rule(word);
	}
	return found ? 0 : nothing_known(word);
}
