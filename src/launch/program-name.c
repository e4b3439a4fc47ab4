/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program-name.c - all `copse run python3 A` of a directory would be called
 * alike, and so would all `copse run taskset ... A`.
 *
 * Nobody knows the options of all wrappers and interpreters.  A script is the
 * first word that is a file, a wrapped program the first that can be executed;
 * where that is a mistake the profile has another name, and nothing is lost.
 */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"
#include "launch/program.h"

/* With the letter of the option behind which there is code, not a file. */
static const struct interpreter {
	const char *name;
	char code;
} interpreters[] = {
	{ "python", 'c' },  { "pypy", 'c' },   { "sh", 'c' },
	{ "bash", 'c' },    { "dash", 'c' },   { "zsh", 'c' },
	{ "ksh", 'c' },     { "perl", 'e' },   { "ruby", 'e' },
	{ "Rscript", 'e' }, { "julia", 'e' },  { "node", 'e' },
	{ "lua", 'e' },     { "luajit", 'e' }, { "php", 'r' },
	{ "guile", 'c' },   { "octave", '-' }, { "tclsh", '-' },
};

static const char *const wrappers[] = {
	"chrt",     "cpulimit",      "eatmydata", "env",        "fakeroot",
	"faketime", "hwloc-bind",    "ionice",    "likwid-pin", "ltrace",
	"mpiexec",  "mpiexec.hydra", "mpirun",    "nice",       "nohup",
	"numactl",  "orterun",       "prlimit",   "setarch",    "setsid",
	"srun",     "stdbuf",        "strace",    "taskset",    "time",
	"timeout",  "unbuffer",      "xvfb-run",
};

/* "python" is "python3.11" as well. */
static bool is_version_of(const char *name, const char *plain)
{
	size_t length = strlen(plain);

	return !strncmp(name, plain, length) &&
	       !name[length + strspn(name + length, "0123456789.")];
}

static const struct interpreter *interpreter_of(const char *name)
{
	for (size_t i = 0; i < sizeof(interpreters) / sizeof(*interpreters);
	     i++)
		if (is_version_of(name, interpreters[i].name))
			return &interpreters[i];
	return NULL;
}

static bool wraps_program(const char *name)
{
	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (!strcmp(name, wrappers[i]))
			return true;
	return false;
}

static bool is_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/* "-c", "-xc": options of one letter may share a word. */
static bool has_letter(const char *word, char letter)
{
	return word[0] == '-' && word[1] != '-' &&
	       word[strlen(word) - 1] == letter;
}

/* Of a module that runs a script (mpi4py, cProfile ...) that script. */
static const char *name_of_module(char *const *words)
{
	for (size_t i = 1; words[0] && words[i]; i++) {
		size_t length = strlen(words[i]);

		if (length > 3 && !strcmp(words[i] + length - 3, ".py") &&
		    is_file(words[i]))
			return words[i];
	}
	return words[0];
}

/* Behind the interpreter; NULL: there is none. */
static const char *find_script(const struct interpreter *by, char *const *words)
{
	bool python = !strcmp(by->name, "python") || !strcmp(by->name, "pypy");

	for (size_t i = 0; words[i]; i++) {
		if (has_letter(words[i], by->code))
			return NULL;
		if (python && has_letter(words[i], 'm'))
			return name_of_module(words + i + 1);
		if (*words[i] != '-' && is_file(words[i]))
			return words[i];
	}
	return NULL;
}

/* Behind an option a word may be its value that is a program's name, too. */
static char *const *find_wrapped(char *const *words)
{
	char *const *doubtful = NULL;

	for (size_t i = 1; words[i]; i++) {
		bool value = *words[i - 1] == '-' && !strchr(words[i - 1], '=');
		struct program program;

		if (*words[i] == '-' || program_find(&program, words[i]))
			continue;
		if (!value || strchr(words[i], '/'))
			return words + i;
		if (!doubtful)
			doubtful = words + i;
	}
	return doubtful;
}

const char *program_name(char *const argv[])
{
	const struct interpreter *by = interpreter_of(str_base(argv[0]));
	char *const *wrapped = NULL;
	const char *script = NULL;

	if (wraps_program(str_base(argv[0])))
		wrapped = find_wrapped(argv);
	if (wrapped)
		return program_name(wrapped);
	if (by)
		script = find_script(by, argv + 1);
	return str_base(script ? script : argv[0]);
}
