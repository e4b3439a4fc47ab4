/* SPDX-License-Identifier: BSD-3-Clause */
/* explain.c - look a word up in all tables that a user can name. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/rule.h"
#include "analyse/ends/verdict.h"
#include "base/err.h"
#include "base/spelling.h"
#include "live/layout.h"
#include "tools/command.h"
#include "tools/help.h"

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
		const struct option *o = command_option_find(commands[i], text);

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

static const struct glossary_term {
	const char *term, *text;
} terms[] = {
#define TERM(term, text) { term, text },
#include "tools/glossary.inc"
#undef TERM
};

enum {
	TERMS = sizeof(terms) / sizeof(*terms)
};

/* "Load-balance" is "load balance", "samples" is "sample". */
static bool is_term(const char *word, const char *term)
{
	size_t i;

	for (i = 0; word[i] && term[i]; i++)
		if ((char)tolower((unsigned char)word[i]) != term[i] &&
		    (word[i] != '-' || term[i] != ' '))
			return false;
	return !term[i] && (!word[i] || !strcmp(word + i, "s"));
}

static bool explain_term(const char *word)
{
	const char *said = NULL;

	for (size_t i = 0; i < TERMS; i++)
		if (is_term(word, terms[i].term) &&
		    (!said || strcmp(said, terms[i].text) != 0)) {
			said = terms[i].text;
			wrap_text(stdout, said, 0, WIDTH);
		}
	return said;
}

/* A rule: its terms, and the text behind them. */
static bool explain_rule(const struct rule_folder *folder, const char *word)
{
	struct diagnosis_rule *rule;

	if (strchr(word, '/') || diagnosis_rule_load(&rule, folder, word))
		return false;
	printf("rule %s: %s\n\n%s\n", rule->name, rule->title, rule->explain);
	printf("It is asked of each of `%s`: %s.\n", rule->about->name,
	       rule->about->meaning);
	explain_lines("when", rule->when, rule->when_count);
	explain_lines("severe", rule->severe, rule->severe_count);
	explain_lines("gain", &rule->gain, rule->gain != NULL);
	explain_lines("advice", &rule->advice, 1);
	explain_lines("sure", &rule->sure, rule->sure != NULL);
	explain_lines("source", &rule->source, 1);
	diagnosis_rule_free(rule);
	return true;
}

/* Each word of a command as help takes it, not as it is typed. */
static void guess_words(struct spelling *near)
{
	const char *known, *help;

	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		spelling_try(near, c->name);
		for (size_t j = 0; c->word && (known = c->word(j, &help)); j++)
			spelling_try(near, known);
	}
	for (size_t i = 0; i < TERMS; i++)
		spelling_try(near, terms[i].term);
	guess_foreign(near);
}

static void guess_rules(struct spelling *near, const struct rule_folder *folder)
{
	char **rules = diagnosis_rule_names(folder);

	for (size_t i = 0; rules && rules[i]; i++)
		spelling_try(near, rules[i]);
	free(rules);
}

static int nothing_known(const char *word)
{
	struct spelling near;

	spelling_begin(&near, word);
	guess_words(&near);
	for (size_t i = 0; i < METRIC_COUNT; i++)
		spelling_try(&near, metric_infos[i].name);
	guess_rules(&near, &diagnosis_rules);
	guess_rules(&near, &stuck_rules);
	fprintf(stderr,
		"copse: nothing is called '%s'%s copse --help lists the "
		"commands\n",
		word, spelling_hint(&near));
	return 2;
}

static bool explain_word(const char *word)
{
	bool term = explain_term(word), found = explain_command(word);

	if (!found) {
		found = explain_option(word);
		found |= explain_rows(word);
		found |= explain_rule(&diagnosis_rules, word);
		found |= explain_rule(&stuck_rules, word);
	}
	return term || found;
}

static char *join_words(int count, char *const *words)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	for (int i = 0; to && i < count; i++)
		fprintf(to, "%s%s", i ? " " : "", words[i]);
	if (to)
		fclose(to);
	return text;
}

int explain(int count, char *const *words)
{
	char *all = join_words(count, words);
	int status = 0;

	if (!all || (!explain_word(all) && !explain_word(words[count - 1])))
		status = nothing_known(all ? all : words[0]);
	free(all);
	return status;
}
