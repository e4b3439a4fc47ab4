/* SPDX-License-Identifier: BSD-3-Clause */
/* pick.c - the newest run of a name. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/numbered.h"
#include "base/str.h"
#include "tools/pick.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* The directory that is meant, or would be: NAME, else NAME.copse. */
static char *newest_run(const char *word, size_t *count)
{
	char *picked = numbered_newest(word, count), *name;

	if (picked || is_directory(word))
		return picked;
	name = str_format("%s.copse", word);
	if (name)
		picked = numbered_newest(name, count);
	free(name);
	return picked;
}

bool pick_finds(const char *word)
{
	size_t count;
	char *picked = newest_run(word, &count);

	free(picked);
	return picked;
}

char *pick_run(const char *word, const char *command)
{
	size_t length = strlen(word), count = 0;
	char *picked = NULL;

	if (length && word[length - 1] != '/')
		picked = newest_run(word, &count);
	if (!picked)
		picked = strdup(word);
	if (!picked)
		no_memory();
	else if (command && count > 1)
		fprintf(stderr,
			"copse %s: %s, the newest of %zu runs; a name with a "
			"slash at its end means that one\n",
			command, picked, count);
	return picked;
}
