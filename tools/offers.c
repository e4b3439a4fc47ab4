/* SPDX-License-Identifier: BSD-3-Clause */
/* offers.c - completion for all shells, from the tables of the commands. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tools/command.h"
#include "tools/help.h"

/* Of the word that is being written, so much comes before the value. */
struct typed {
	const char *word, *value;
};

static void offer_word(const struct typed *t, const char *word, size_t length,
		       const char *help)
{
	if (!strncmp(word, t->value, strlen(t->value)))
		printf("%.*s%.*s\t%s\n", (int)(t->value - t->word), t->word,
		       (int)length, word, help);
}

static void offer_words(const struct typed *t,
			const char *(*word)(size_t i, const char **help))
{
	const char *known, *help;

	for (size_t i = 0; word && (known = word(i, &help)); i++)
		offer_word(t, known, strlen(known), help);
}

/* "on|off": its parts.  One word alone says what to put there instead. */
static void offer_values(const struct typed *t, const struct option *o)
{
	const char *at = o->arg;

	offer_words(t, o->word);
	if (o->word || !strchr(at, '|'))
		return;
	while (*at) {
		size_t length = strcspn(at, "|");

		offer_word(t, at, length, o->help);
		at += length + (at[length] == '|');
	}
}

static void offer_options(const struct typed *t, const struct command *command)
{
	char text[OPTION_SIZE + 2], name[OPTION_SIZE];

	for (const struct option *o = command->options; o && o->name; o++) {
		snprintf(text, sizeof(text), "--%s",
			 command_option_name(o, name));
		if (*o->name)
			offer_word(t, text, strlen(text), o->help);
	}
	offer_word(t, "--help", 6, "list the options");
}

/* Where a profile may stand, as copse run names them. */
static void offer_profiles(const struct typed *t)
{
	char *pattern = str_format("%s*.copse", t->word);
	glob_t found;

	if (pattern && !glob(pattern, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			printf("%s\tprofile\n", found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}

static void offer_commands(const struct typed *t)
{
	for (size_t i = 0; commands[i]; i++)
		offer_word(t, commands[i]->name, strlen(commands[i]->name),
			   commands[i]->help);
	offer_word(t, "help", 4, "what a command, an option or a metric is");
}

/* Everything that copse help knows and that is a list of few. */
static void offer_topics(const struct typed *t)
{
	offer_commands(t);
	for (size_t i = 0; commands[i]; i++)
		offer_words(t, commands[i]->word);
}

/* How far a command line has come. */
struct typed_line {
	const struct option *waits; /* for its value */
	size_t words;               /* that are no options */
	bool closed;                /* what follows is a program's */
};

static struct typed_line read_typed_line(const struct command *command,
					 int count, char *const *words)
{
	struct typed_line line = { 0 };

	for (int i = 0; i < count && !line.closed; i++) {
		const char *word = words[i];
		const struct option *o =
			*word == '-' ? command_option_find(command, word)
				     : NULL;

		if (line.waits && !strcmp(word, "="))
			continue; /* bash cuts --name=value in three */
		if (line.waits)
			line.waits = NULL;
		else if (o && o->arg && !strchr(word, '='))
			line.waits = o;
		else if (*word != '-')
			line.words++;
		line.closed = command->stop_at_first && line.words;
	}
	return line;
}

static void offer_next(const struct command *command, struct typed *t,
		       int count, char *const *words)
{
	struct typed_line line = read_typed_line(command, count, words);
	const char *sign = strchr(t->word, '=');

	if (line.closed)
		return;
	if (!line.waits && sign && *t->word == '-') {
		line.waits = command_option_find(command, t->word);
		t->value = sign + 1;
	}
	if (line.waits && line.waits->arg) {
		offer_values(t, line.waits);
	} else if (*t->word == '-') {
		offer_options(t, command);
	} else if (!line.words && command->word) {
		offer_words(t, command->word);
		offer_profiles(t);
	}
}

void offers_print(int argc, char **argv)
{
	const char *last = argc ? argv[argc - 1] : "";
	struct typed t = { strcmp(last, "=") ? last : "", NULL };
	const struct command *command = argc > 1 ? command_find(argv[0]) : NULL;

	t.value = t.word;
	if (command) {
		offer_next(command, &t, argc - 2, argv + 1);
	} else if (argc > 1 && !strcmp(argv[0], "help")) {
		offer_topics(&t);
	} else if (argc <= 1) {
		offer_commands(&t);
		offer_word(&t, "--help", 6, "list the commands");
		offer_word(&t, "--version", 9, "which copse this is");
	}
}
