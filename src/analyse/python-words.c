/* SPDX-License-Identifier: BSD-3-Clause */
/* python-words.c - see python-words.h. */
#include "analyse/python-words.h"

#include <ctype.h>
#include <string.h>

#include "analyse/interpreter.h"
#include "base/str.h"

bool python_is_library(const char *file)
{
	const char *at = strstr(file, "/lib/python");

	return !strncmp(file, "<frozen ", strlen("<frozen ")) ||
	       (at && !strstr(at, "/site-packages/") &&
		!strstr(at, "/dist-packages/"));
}

static bool may_be_wrapper(const struct run *run, uint32_t node)
{
	return interpreter_is_unnamed(run, node) ||
	       !strncmp(str_at(&run->strings, run->nodes[node].function),
			"__pyx_", strlen("__pyx_"));
}

bool python_is_wrapper(const struct paths *paths, uint32_t path)
{
	const struct run *run = paths->run;
	uint32_t p = path;

	while (p && may_be_wrapper(run, paths->at[p].node))
		p = paths->at[p].parent;
	return p && p != path && python_owns(run, paths->at[p].node);
}

static const char *next_word(const char *at)
{
	at += strcspn(at, " ");
	return at + strspn(at, " ");
}

/* python, python3, python3.11, in any folder. */
static bool is_python_word(const char *command)
{
	const char *end = command + strcspn(command, " "), *base = end;

	while (base > command && base[-1] != '/')
		base--;
	if (strncmp(base, "python", strlen("python")) != 0)
		return false;
	for (base += strlen("python"); base < end; base++)
		if (!isdigit((unsigned char)*base) && *base != '.')
			return false;
	return true;
}

const char *python_program(const char *command)
{
	const char *at = next_word(command), *end;

	if (!is_python_word(command))
		return command;
	while (*at == '-' && at[1] != 'c' && at[1] != 'm' && at[1] != ' ')
		at = next_word(at[1] == 'W' || at[1] == 'X' ? next_word(at)
							    : at);
	if (!strncmp(at, "-m ", 3))
		at = next_word(at);
	else if (*at == '-')
		return command;
	for (end = at + strcspn(at, " "); end > at && end[-1] != '/';)
		end--;
	return *end ? end : command;
}
