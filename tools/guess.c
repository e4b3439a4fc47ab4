/* SPDX-License-Identifier: BSD-3-Clause */
/* guess.c - words of commands, and of other profilers. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/help.h"
#include "tools/pick.h"

void guess_foreign(struct spelling *n)
{
	static const struct {
		const char *word, *meant;
	} foreign[] = {
#define WORD(word, meant) { word, meant },
#include "tools/foreign-words.def"
#undef WORD
	};

	for (size_t i = 0; i < sizeof(foreign) / sizeof(*foreign); i++)
		spelling_try_as(n, foreign[i].word, foreign[i].meant);
}

/* "diff" is `copse report diff`. */
static void guess_word(struct spelling *n, const struct command *command)
{
	char meant[SPELLING_SIZE];
	const char *word, *help;

	for (size_t i = 0; command->word && (word = command->word(i, &help));
	     i++) {
		snprintf(meant, sizeof(meant), "copse %s %s", command->name,
			 word);
		spelling_try_as(n, word, meant);
	}
}

/* A program, or a profile, without the command that it is for. */
static void guess_file(struct spelling *n)
{
	char meant[SPELLING_SIZE];
	struct stat st;
	bool program = !stat(n->wrong, &st) && S_ISREG(st.st_mode) &&
		       !access(n->wrong, X_OK);

	if (!program && !pick_finds(n->wrong))
		return;
	snprintf(meant, sizeof(meant), "copse %s %s",
		 program ? "run" : "report", n->wrong);
	spelling_try_as(n, n->wrong, meant);
}

void guess_command(struct spelling *n)
{
	guess_file(n);
	for (size_t i = 0; commands[i]; i++)
		spelling_try(n, commands[i]->name);
	spelling_try(n, "help");
	spelling_try(n, "--version");
	spelling_try(n, "-V");
	guess_foreign(n);
	for (size_t i = 0; commands[i]; i++)
		guess_word(n, commands[i]);
}
