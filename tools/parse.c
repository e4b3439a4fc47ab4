/* SPDX-License-Identifier: BSD-3-Clause */
/* parse.c - options by table: parsing and setters. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/spelling.h"
#include "base/str.h"
#include "tools/command.h"
#include "tools/help.h"

int parse_string(void *to, const char *text)
{
	*(const char **)to = text;
	return 0;
}

int parse_flag(void *to, const char *text)
{
	(void)text;
	*(bool *)to = true;
	return 0;
}

int parse_count(void *to, const char *text)
{
	uint64_t value;

	if (!str_to_uint(text, &value) || value > UINT_MAX)
		return -EDOM;
	*(unsigned int *)to = (unsigned int)value;
	return 0;
}

int parse_real(void *to, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0))
		return -EDOM;
	*(double *)to = value;
	return 0;
}

const char *command_option_name(const struct option *o, char to[OPTION_SIZE])
{
	snprintf(to, OPTION_SIZE, "%s", o->name);
	for (char *c = to; *c; c++)
		if (*c == '_')
			*c = '-';
	return to;
}

/* What every command has, behind its own. */
static const struct option help_row = { 'h', "help" };

/* 2: `word` ("-n", "--name" or "--name=value") is the row's, 1: begins so. */
static int match_option(const struct option *o, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	char name[OPTION_SIZE];

	if (word[1] != '-')
		return o->letter && word[1] == o->letter ? 2 : 0;
	if (!*o->name || !length ||
	    strncmp(command_option_name(o, name), word + 2, length) != 0)
		return 0;
	return name[length] ? 1 : 2;
}

static int fail_ambiguous(const char *word, const struct option *one,
			  const struct option *other)
{
	char first[OPTION_SIZE], second[OPTION_SIZE];

	return fail(-EINVAL, "'%s' may be --%s or --%s", word,
		    command_option_name(one, first),
		    command_option_name(other, second));
}

static int unknown_option(const struct command *command, const char *word)
{
	char name[OPTION_SIZE], known[OPTION_SIZE + 2];
	char wrong[SPELLING_SIZE];
	struct spelling near;

	snprintf(wrong, sizeof(wrong), "%.*s", (int)strcspn(word, "="), word);
	spelling_begin(&near, wrong);
	for (const struct option *o = command->options; o && o->name; o++) {
		snprintf(known, sizeof(known), "--%s",
			 command_option_name(o, name));
		if (*o->name)
			spelling_try(&near, known);
	}
	if (command->stop_at_first && !strncmp(word, "-n", 2))
		return fail(-EINVAL,
			    "there is no option '%s'; ranks are made by the "
			    "launcher: mpirun -n 4 copse %s PROGRAM",
			    word, command->name);
	return fail(-EINVAL,
		    "there is no option '%s'%s copse %s --help lists them",
		    word, spelling_hint(&near), command->name);
}

/* The rows of a table, then help_row, then NULL. */
static const struct option *row_at(const struct option *o)
{
	return o && o->name ? o : &help_row;
}

static const struct option *row_after(const struct option *o)
{
	return o == &help_row ? NULL : row_at(o + 1);
}

/* The row that a word means: 0, or -EINVAL with a reason. */
static int find_option(const struct option **to, const struct command *command,
		       const char *word)
{
	const struct option *o = row_at(command->options), *other = NULL;

	for (*to = NULL; o; o = row_after(o)) {
		int how = match_option(o, word);

		if (how == 2)
			other = NULL;
		else if (how && *to)
			other = *to;
		if (how)
			*to = o;
		if (how == 2)
			break;
	}
	if (other)
		return fail_ambiguous(word, other, *to);
	return *to ? 0 : unknown_option(command, word);
}

const struct option *command_option_find(const struct command *command,
					 const char *word)
{
	for (const struct option *o = command->options; o && o->name; o++)
		if (match_option(o, word) == 2)
			return o;
	return NULL;
}

/* The value in `word` itself: --name=value or -nvalue; else NULL. */
static const char *value_inside(const char *word)
{
	const char *sign;

	if (word[1] != '-')
		return word[2] ? word + 2 : NULL;
	sign = strchr(word, '=');
	return sign ? sign + 1 : NULL;
}

/* One option at *argv; the number of words it takes, or -errno. */
static int parse_one(const struct command *command, int argc, char **argv)
{
	const char *value = value_inside(argv[0]);
	const struct option *o;
	char name[OPTION_SIZE];
	int taken = 1, err = find_option(&o, command, argv[0]);

	if (err)
		return err;
	if (o == &help_row)
		return -ECANCELED;
	if (!o->arg && value)
		return fail(-EINVAL, "--%s takes no value",
			    command_option_name(o, name));
	if (o->arg && !value) {
		if (argc < 2)
			return fail(-EINVAL, "--%s wants a value: %s",
				    command_option_name(o, name), o->arg);
		value = argv[taken++];
	}
	err = o->set(o->to, value);
	if (err == -EDOM)
		err = fail(-EINVAL, "--%s wants a %snumber, not '%s'",
			   command_option_name(o, name),
			   o->set == parse_real ? "" : "whole ", value);
	return err ? err : taken;
}

/* Move `count` words at `from` to the front of those between `to` and them. */
static void move_words(char **argv, int to, int from, int count)
{
	for (; count--; to++, from++) {
		char *word = argv[from];

		memmove(argv + to + 1, argv + to,
			(size_t)(from - to) * sizeof(*argv));
		argv[to] = word;
	}
}

int command_parse(const struct command *command, int argc, char **argv)
{
	int first = 1; /* words other than options start here, up to i */

	for (int i = 1, taken; i < argc; i += taken) {
		taken = 1;
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (command->stop_at_first)
				break;
			continue;
		}
		if (!strcmp(argv[i], "--")) {
			move_words(argv, first++, i, 1);
			break;
		}
		taken = parse_one(command, argc - i, argv + i);
		if (taken < 0)
			return taken;
		move_words(argv, first, i, taken);
		first += taken;
	}
	return first;
}

/* The one among the words that the command knows: its help is wanted. */
static const char *word_of_command(const struct command *command, char **argv)
{
	while (*argv && !help_of_word(command, *argv))
		argv++;
	return *argv;
}

int command_main(const struct command *command, int argc, char **argv)
{
	int first = command_parse(command, argc, argv);
	int status;

	if (first == -ECANCELED) {
		help_command(stdout, command,
			     word_of_command(command, argv + 1));
		return 0;
	}
	status = first < 0 ? first : command->run(argc - first, argv + first);
	if (status >= 0)
		return status;
	fprintf(stderr, "copse %s: %s\n", command->name, fail_reason());
	return status == -EINVAL ? 2 : 1;
}
