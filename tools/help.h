/* SPDX-License-Identifier: BSD-3-Clause */
/* help.h - what --help prints, made from the tables that are parsed by. */
#ifndef TOOLS_HELP_H
#define TOOLS_HELP_H

#include "tools/command.h"

/*
 * All of a command or, with one of its first words, of that: what it is, and
 * the options that it heeds.
 */
void help_command(FILE *to, const struct command *command, const char *word);

/* The lines of one option. */
void help_option(FILE *to, const struct option *o, int column);

/* The help of the word among those a command may begin with, or NULL. */
const char *help_of_word(const struct command *command, const char *word);

#endif
