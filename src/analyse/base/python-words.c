/* SPDX-License-Identifier: BSD-3-Clause */
/* python-words.c - see python-words.h. */
#include "analyse/base/python-words.h"

#include <string.h>

#include "analyse/base/interpreter.h"
#include "base/str.h"

static bool is_installed(const char *file)
{
	struct package package;

	return package_of(&package, file) && !package.is_library;
}

bool python_is_library(const char *file)
{
	struct package package;

	return package_of(&package, file) && package.is_library;
}

bool python_in_library(const struct run *run, uint32_t node)
{
	return paths_ask_module(run, node, ASK_PYTHON_LIBRARY,
				python_is_library);
}

bool python_has_installed(const struct run *run, uint32_t node)
{
	return paths_ask_module(run, node, ASK_INSTALLED, is_installed);
}

/* "/opt/venv/bin/torchrun": it imports the program and calls it. */
static bool is_entry_point(const char *file)
{
	const char *base = str_base(file);

	return base - file >= 5 && !memcmp(base - 5, "/bin/", 5) &&
	       !strchr(base, '.');
}

/* A text that a library made, "<__array_function__ internals>", is not. */
static bool is_of_user(const struct run *run, uint32_t node)
{
	const char *file = str_at(&run->strings, run->nodes[node].module);
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return !python_in_library(run, node) &&
	       !python_has_installed(run, node) &&
	       strncmp(file, "<__", 3) != 0 &&
	       (!is_entry_point(file) || strcmp(name, "<module>") != 0);
}

/* What is above it has forked the process, and is not what that does. */
static bool begins_process(const struct run *run, uint32_t node)
{
	const struct run_node *n = &run->nodes[node];

	return str_is_dotted(str_at(&run->strings, n->function),
			     "BaseProcess._bootstrap") &&
	       strstr(str_at(&run->strings, n->module), "/multiprocessing/");
}

uint32_t python_caller(const struct paths *paths, uint32_t path)
{
	const struct run *run = paths->run;
	uint32_t installed = 0;

	for (uint32_t p = path; p; p = paths->at[p].parent) {
		uint32_t node = paths->at[p].node;

		if (!python_owns(run, node))
			continue;
		if (is_of_user(run, node))
			return p;
		if (begins_process(run, node))
			break;
		if (!installed && !python_in_library(run, node))
			installed = p;
	}
	return installed;
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

/* python, python3, python3.11, python3.13t, in any folder. */
static bool is_python_word(const char *command)
{
	const char *end = command + strcspn(command, " "), *base = end;

	while (base > command && base[-1] != '/')
		base--;
	if (strncmp(base, "python", strlen("python")) != 0)
		return false;
	base += strlen("python");
	base += strspn(base, "0123456789.");
	base += strspn(base, "td"); /* without GIL, to be debugged */
	return base == end;
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

bool python_is_worker(const char *command)
{
	return is_python_word(command) &&
	       ((strstr(command, " -c '") &&
		 strstr(command, "from multiprocessing.")) ||
		strstr(command, " -m ipykernel_launcher"));
}
