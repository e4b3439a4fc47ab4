/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * command.h - a subcommand of copse: a table of options and one function.  A
 * new one is tools/cmd-NAME.c and its word in COMMANDS of tools/local.mk.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/*
 * `--long ARG`, `-s ARG`; no arg: a switch, text is NULL.  A name may come
 * from a table of C words: its `_` is written `-`.  A row whose name is ""
 * gives those behind it a title in the help.
 */
struct option {
	char letter; /* 0: none */
	const char *name, *arg, *help;
	/* 0, -EINVAL with a reason, or -EDOM: no such number */
	int (*set)(void *to, const char *text);
	void *to;
	/* The values known, as the words of a command; NULL: those that arg
	   has between its '|'. */
	const char *(*word)(size_t i, const char **help);
	unsigned int needs; /* what a word has to take; 0: nothing */
};

struct command {
	const char *name, *synopsis, *help;
	const struct option *options; /* ended by a row without a name */
	/* What its first word may be: number i, with its help; NULL behind the
	   last one.  Under the title `words` in the help. */
	const char *words;
	const char *(*word)(size_t i, const char **help);   /* NULL: anything */
	bool (*takes)(const char *word, unsigned int what); /* NULL: all */
	/* Writes the name of a word's man page; NULL: the command's has it. */
	void (*page)(FILE *to, const char *word);
	bool stop_at_first; /* options end at the first word: copse run */
	/* The words that are left, ended by NULL; returns an exit status, or
	   -errno with a reason.  -EINVAL means bad usage. */
	int (*run)(int argc, char **argv);
};

extern const struct command *const commands[];        /* ended by NULL */
const struct command *command_find(const char *name); /* or NULL */

/* Setters for options. */
int parse_string(void *to, const char *text); /* const char ** */
int parse_flag(void *to, const char *text);   /* bool * */
int parse_count(void *to, const char *text);  /* unsigned int * */
int parse_real(void *to, const char *text);   /* double * */

/* The option's name as it is written, in `to`. */
enum {
	OPTION_SIZE = 64
};
const char *command_option_name(const struct option *o, char to[OPTION_SIZE]);

/* The row of "--name", "--name=value" or "-n", written in full; or NULL. */
const struct option *command_option_find(const struct command *command,
					 const char *word);

/*
 * Parse argv by the table and bring the words that are no options to its end.
 * A name may be cut short where one option alone begins so.
 * The index of the first of them; -EINVAL with a reason; -ECANCELED when
 * --help was among the options.
 */
int command_parse(const struct command *command, int argc, char **argv);

/* Its options, itself, its failure for people: the exit status. */
int command_main(const struct command *command, int argc, char **argv);
