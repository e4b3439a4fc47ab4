/* SPDX-License-Identifier: BSD-3-Clause */
/* parse.c - options by table: parsing, setters, help. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "tools/command.h"

int set_string(void *to, const char *text)
{
	*(const char **)to = text;
	return 0;
}

int set_flag(void *to, const char *text)
{
	(void)text;
	*(bool *)to = true;
	return 0;
}

int set_count(void *to, const char *text)
{
	uint64_t value;

	if (!str_to_uint(text, &value) || value > UINT_MAX)
		return -EDOM;
	*(unsigned int *)to = (unsigned int)value;
	return 0;
}

int set_real(void *to, const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0))
		return -EDOM;
	*(double *)to = value;
	return 0;
}

const char *option_name(const struct option *o, char to[OPTION_SIZE])
{
	snprintf(to, OPTION_SIZE, "%s", o->name);
	for (char *c = to; *c; c++)
		if (*c == '_')
			*c = '-';
	return to;
}

/* The row that `word` ("-n" or "--name" or "--name=value") means, or NULL. */
static const struct option *find(const struct option *options, const char *word)
{
	size_t length = strcspn(word + 2, "=");
	char name[OPTION_SIZE];

	for (const struct option *o = options; o && o->name; o++) {
		if (word[1] != '-') {
			if (o->letter && word[1] == o->letter)
				return o;
		} else if (strlen(option_name(o, name)) == length &&
			   !memcmp(name, word + 2, length)) {
			return o;
		}
	}
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
	const struct option *o = find(command->options, argv[0]);
	const char *value = value_inside(argv[0]);
	char name[OPTION_SIZE];
	int taken = 1, err;

	if (!strcmp(argv[0], "--help") || (!o && !strcmp(argv[0], "-h")))
		return -ECANCELED;
	if (!o)
		return fail(-EINVAL,
			    "there is no option '%s'; copse %s --help lists "
			    "them",
			    argv[0], command->name);
	if (!o->arg && value)
		return fail(-EINVAL, "--%s takes no value",
			    option_name(o, name));
	if (o->arg && !value) {
		if (argc < 2)
			return fail(-EINVAL, "--%s wants a value: %s",
				    option_name(o, name), o->arg);
		value = argv[taken++];
	}
	err = o->set(o->to, value);
	if (err == -EDOM)
		err = fail(-EINVAL, "--%s wants a %snumber, not '%s'",
			   option_name(o, name),
			   o->set == set_real ? "" : "whole ", value);
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

int options_parse(const struct command *command, int argc, char **argv)
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

static void words_help(const struct command *command, FILE *to)
{
	const char *word, *help;

	if (!command->word)
		return;
	fprintf(to, "\n%s:\n", command->words);
	for (size_t i = 0; (word = command->word(i, &help)); i++)
		fprintf(to, "  %-13s  %s\n", word, help);
}

/* Of "--name ARG". */
static int option_width(const struct option *o)
{
	return (int)(2 + strlen(o->name) + (o->arg ? 1 + strlen(o->arg) : 0));
}

static void options_help(const struct option *options, FILE *to)
{
	int width = 0;

	for (const struct option *o = options; o->name; o++)
		if (option_width(o) > width)
			width = option_width(o);
	fputs("\noptions:\n", to);
	for (const struct option *o = options; o->name; o++) {
		char name[OPTION_SIZE];

		fprintf(to, "  %c%c%s --%s%s%s%*s  %s\n", o->letter ? '-' : ' ',
			o->letter ? o->letter : ' ', o->letter ? "," : " ",
			option_name(o, name), o->arg ? " " : "",
			o->arg ? o->arg : "", width - option_width(o), "",
			o->help);
	}
}

void command_help(const struct command *command, FILE *to)
{
	fprintf(to, "usage: copse %s %s\n\n%s\n", command->name,
		command->synopsis, command->help);
	words_help(command, to);
	if (command->options && command->options->name)
		options_help(command->options, to);
}
