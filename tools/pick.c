/* SPDX-License-Identifier: BSD-3-Clause */
/* pick.c - a run by its name, or the newest of a name cut short. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/numbered.h"
#include "base/regular.h"
#include "base/str.h"
#include "tools/pick.h"

/* Of WORD.copse and its numbered sisters; NULL: there is none. */
static char *newest_run(const char *word, size_t *count)
{
	char *name = str_format("%s.copse", word);
	char *newest = name ? numbered_newest(name, count) : NULL;

	free(name);
	return newest;
}

bool pick_finds(const char *word)
{
	size_t count;
	char *picked = newest_run(word, &count);

	free(picked);
	return picked || numbered_has_profile(word);
}

/* What was typed is what is shown; that there is a later one is said. */
static void say_newer(const char *word, const char *command)
{
	size_t count;
	char *newest = numbered_newest(word, &count);

	if (newest && strcmp(newest, word) != 0)
		fprintf(stderr, "copse %s: %s; a newer run is %s\n", command,
			word, newest);
	free(newest);
}

char *pick_here(void)
{
	char *newest = NULL;
	struct stat st, last = { 0 };
	glob_t found;

	if (glob("*.copse", 0, NULL, &found))
		return NULL;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *path = found.gl_pathv[i];

		if (!numbered_has_profile(path) || stat(path, &st) ||
		    (newest && st.st_mtime < last.st_mtime))
			continue;
		free(newest);
		newest = strdup(path);
		last = st;
	}
	globfree(&found);
	return newest;
}

char *pick_exactly(const char *word)
{
	char *name = str_format("%s.copse", word);
	bool short_name = name && !numbered_has_profile(word) &&
			  numbered_has_profile(name);
	char *picked = short_name ? name : strdup(word);

	if (picked != name)
		free(name);
	if (!picked)
		no_memory();
	return picked;
}

/* A program that was not measured, or elsewhere. */
static bool is_unmeasured_program(const char *path)
{
	int fd = regular_open(AT_FDCWD, path, O_RDONLY);
	char head[4] = "";
	bool program = fd >= 0 && read(fd, head, sizeof(head)) > 0 &&
		       (!memcmp(head, "\177ELF", 4) || !memcmp(head, "#!", 2));

	if (fd >= 0)
		close(fd);
	return program;
}

char *pick_run(const char *word, const char *command)
{
	bool whole = numbered_has_profile(word);
	size_t count = 0;
	char *picked = whole ? NULL : newest_run(word, &count);

	if (!picked && is_unmeasured_program(word)) {
		fail(-ENOENT,
		     "%s is a program, and %s.copse is not here; to make it: "
		     "copse run %s",
		     word, word, word);
		return NULL;
	}
	if (!picked)
		picked = strdup(word);
	if (!picked)
		no_memory();
	else if (command && whole)
		say_newer(word, command);
	else if (command && count > 1)
		fprintf(stderr, "copse %s: %s, the newest of %zu runs\n",
			command, picked, count);
	return picked;
}
