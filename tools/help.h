/* SPDX-License-Identifier: BSD-3-Clause */
/* help.h - what --help prints, made from the tables that are parsed by. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "tools/command.h"
#include "base/spelling.h"

/*
 * All of a command or, with one of its first words, of that: what it is, and
 * the options that it heeds.
 */
void help_command(FILE *to, const struct command *command, const char *word);

/* The lines of one option. */
void help_option(FILE *to, const struct option *o, int column);

/* The help of the word among those a command may begin with, or NULL. */
const char *help_of_word(const struct command *command, const char *word);

/* copse help WORD: what the word is, wherever it stands. */

/*
 * Prints what the glossary says of the words ("load balance"), and the help of
 * a command, or of what its first word may be; else all options, metrics and
 * losses of that name.  Of several words that mean nothing together the last
 * one is explained.  The exit status: 2 after a message when there are none.
 */
int explain(int count, char *const *words);

/* What may stand next on a command line that begins so. */

/*
 * Prints, for a shell, what the last of the words behind `copse` may become:
 * lines of a word, a tab and its help.  Nothing where a file is wanted, or
 * where the command line is another program's.
 */
void offers_print(int argc, char **argv);

/* What was meant by a word that no command, analysis or format has. */

/* All that can be typed behind `copse`, and what other tools call it. */
void guess_command(struct spelling *n);

/* What other tools call a command of ours. */
void guess_foreign(struct spelling *n);

/* Sentences in a column of their own. */

/*
 * The text in lines of `width` columns at most, and a newline.  The cursor is
 * at column `indent`, where further lines begin, too.
 */
void wrap_text(FILE *to, const char *text, size_t indent, size_t width);
