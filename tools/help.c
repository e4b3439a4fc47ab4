/* SPDX-License-Identifier: BSD-3-Clause */
/* help.c - commands and their options for readers, on 80 columns. */
#include <stdio.h>
#include <string.h>

#include "tools/help.h"

enum {
	WIDTH = 80,
	WIDEST = 23, /* of "--name ARG"; beside longer ones stands no help */
	WORD_COLUMN = 18
};

const char *help_of_word(const struct command *command, const char *word)
{
	const char *known, *help;

	for (size_t i = 0; command->word && (known = command->word(i, &help));
	     i++)
		if (!strcmp(known, word))
			return help;
	return NULL;
}

static void help_words(FILE *to, const struct command *command)
{
	const char *word, *help;

	if (!command->word)
		return;
	fprintf(to, "\n%s:\n", command->words);
	for (size_t i = 0; (word = command->word(i, &help)); i++) {
		fprintf(to, "  %-*s ", WORD_COLUMN - 3, word);
		wrap_text(to, help, WORD_COLUMN, WIDTH);
	}
}

void help_option(FILE *to, const struct option *o, int column)
{
	char name[OPTION_SIZE];
	int at = fprintf(to, "  %c%c%s --%s%s%s", o->letter ? '-' : ' ',
			 o->letter ? o->letter : ' ', o->letter ? "," : " ",
			 command_option_name(o, name), o->arg ? " " : "",
			 o->arg ? o->arg : "");

	if (at + 2 > column) {
		fputc('\n', to);
		at = 0;
	}
	fprintf(to, "%*s", column - at, "");
	wrap_text(to, o->help, (size_t)column, WIDTH);
}

/* Where the help of options stands: behind the widest "--name ARG". */
static int help_column(const struct option *options)
{
	size_t widest = 0;

	for (const struct option *o = options; o->name; o++) {
		size_t width =
			2 + strlen(o->name) + (o->arg ? 1 + strlen(o->arg) : 0);

		if (width > widest && width <= WIDEST)
			widest = width;
	}
	return 6 + (int)widest + 2;
}

static void help_options(FILE *to, const struct command *command,
			 const char *word)
{
	const struct option *options = command->options;
	int column = help_column(options);

	if (*options->name)
		fputs("\noptions:\n", to);
	for (const struct option *o = options; o->name; o++)
		if (!*o->name)
			fprintf(to, "\n%s:\n", o->help);
		else if (!word || !o->needs || !command->takes ||
			 command->takes(word, o->needs))
			help_option(to, o, column);
}

void help_command(FILE *to, const struct command *command, const char *word)
{
	const char *help = word ? help_of_word(command, word) : NULL;
	const char *rest = strchr(command->synopsis, ' ');

	if (help)
		fprintf(to, "usage: copse %s %s%s\n\n", command->name, word,
			rest ? rest : "");
	else
		fprintf(to, "usage: copse %s %s\n\n", command->name,
			command->synopsis);
	wrap_text(to, help ? help : command->help, 0, WIDTH);
	if (!help)
		help_words(to, command);
	if (command->options && command->options->name)
		help_options(to, command, help ? word : NULL);
	fputs("\nAll of it: man ", to);
	if (help && command->page)
		command->page(to, word);
	else
		fprintf(to, "copse-%s", command->name);
	fputc('\n', to);
}
