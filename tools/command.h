/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - a subcommand of copse: a table of options and one function.  A
 * new one is tools/cmd-NAME.c and its word in COMMANDS of tools/local.mk.
 */
#ifndef TOOLS_COMMAND_H
#define TOOLS_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

/*
 * `--long ARG`, `-s ARG`; no arg: a switch, text is NULL.  A name may come
 * from a table of C words: its `_` is written `-`.
 */
struct option {
	char letter; /* 0: none */
	const char *name, *arg, *help;
	/* 0, -EINVAL with a reason, or -EDOM: no such number */
	int (*set)(void *to, const char *text);
	void *to;
};

struct command {
	const char *name, *synopsis, *help;
	const struct option *options; /* ended by a row without a name */
	/* What its first word may be: number i, with its help; NULL behind the
	   last one.  Under the title `words` in the help. */
	const char *words;
	const char *(*word)(size_t i, const char **help); /* NULL: anything */
	bool stop_at_first; /* options end at the first word: copse run */
	/* The words that are left, ended by NULL; returns an exit status, or
	   -errno with a reason.  -EINVAL means bad usage. */
	int (*run)(int argc, char **argv);
};

extern const struct command *const commands[]; /* ended by NULL */

/* Setters for options. */
int set_string(void *to, const char *text); /* const char ** */
int set_flag(void *to, const char *text);   /* bool * */
int set_count(void *to, const char *text);  /* unsigned int * */
int set_real(void *to, const char *text);   /* double * */

/* The option's name as it is written, in `to`. */
enum {
	OPTION_SIZE = 64
};
const char *option_name(const struct option *o, char to[OPTION_SIZE]);

/*
 * Parse argv by the table and bring the words that are no options to its end.
 * The index of the first of them; -EINVAL with a reason; -ECANCELED when
 * --help was among the options.
 */
int options_parse(const struct command *command, int argc, char **argv);

/* What --help prints: made from the same table. */
void command_help(const struct command *command, FILE *to);

#endif
