/* SPDX-License-Identifier: BSD-3-Clause */
/* numbered.c - NAME.copse, NAME.2.copse and so on. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/numbered.h"
#include "base/str.h"

#define SUFFIX ".copse"

/* Where the number goes: before the suffix, unless that is all there is. */
static size_t name_stem_length(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SUFFIX);
	size_t part = (size_t)(str_base(name) - name);

	if (length > part + suffix &&
	    !strncmp(name + length - suffix, SUFFIX, suffix))
		length -= suffix;
	return length;
}

char *numbered_name(const char *name, unsigned int n)
{
	int stem = (int)name_stem_length(name);

	return n > 1 ? str_format("%.*s.%u%s", stem, name, n, name + stem)
		     : strdup(name);
}

bool numbered_is(const char *path, const char *name)
{
	size_t stem = name_stem_length(name), digits;

	if (!strcmp(path, name))
		return true;
	if (strncmp(path, name, stem) != 0 || path[stem] != '.')
		return false;
	path += stem + 1;
	digits = strspn(path, "0123456789");
	return digits && !strcmp(path + digits, name + stem);
}

bool numbered_has_profile(const char *path)
{
	static const char *const prefixes[] = { "rank-", "node-", "run.h5" };
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool found = false;

	while (folder && !found && (entry = readdir(folder)))
		for (size_t i = 0; i < 3 && !found; i++)
			found = !strncmp(entry->d_name, prefixes[i],
					 strlen(prefixes[i]));
	if (folder)
		closedir(folder);
	return found;
}

/* When it was taken for a job, or as far as one can know. */
static struct timespec process_begin(const char *path)
{
	char *mark = str_format("%s/.job", path);
	struct stat st = { 0 };

	if (mark && stat(mark, &st))
		stat(path, &st);
	free(mark);
	return st.st_mtim;
}

/* Of a path that is one of that name's. */
static unsigned long number_of_name(const char *path, const char *name)
{
	return strcmp(path, name)
		       ? strtoul(path + name_stem_length(name) + 1, NULL, 10)
		       : 1;
}

/* The later one; of two at once, as copies may be, by their numbers. */
static bool is_newer(const char *path, const char *than, const char *name)
{
	struct timespec a = process_begin(path), b = process_begin(than);

	if (a.tv_sec != b.tv_sec)
		return a.tv_sec > b.tv_sec;
	if (a.tv_nsec != b.tv_nsec)
		return a.tv_nsec > b.tv_nsec;
	return number_of_name(path, name) > number_of_name(than, name);
}

char *numbered_newest(const char *name, size_t *count)
{
	const char *part = str_base(name);
	int length = (int)(part - name); /* of its folder, with the slash */
	char *folder = str_format("%.*s.", length, name), *newest = NULL;
	DIR *in = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	*count = 0;
	while (in && (entry = readdir(in))) {
		char *path = numbered_is(entry->d_name, part)
				     ? str_format("%.*s%s", length, name,
						  entry->d_name)
				     : NULL;

		if (!path || !numbered_has_profile(path)) {
			free(path);
			continue;
		}
		++*count;
		if (newest && !is_newer(path, newest, name)) {
			free(path);
			continue;
		}
		free(newest);
		newest = path;
	}
	if (in)
		closedir(in);
	free(folder);
	return newest;
}
