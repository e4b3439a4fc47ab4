/* SPDX-License-Identifier: BSD-3-Clause */
/* share-file.c - finding such files, and reading their lines. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/share-file.h"
#include "base/regular.h"
#include "base/str.h"

enum {
	FOLDERS = 4,
	MOST_NAMES = 256,
};

/* Where files may be, the user's own first; the caller frees them. */
static void list_folders(char *to[FOLDERS], const struct share_kind *kind)
{
	const char *own = kind->own ? getenv(kind->own) : NULL;
	char here[PATH_MAX] = ".";

	install_dir(here);
	to[0] = own && *own ? strdup(own) : NULL;
	to[1] = str_format("%s/%s", here, kind->folder);
	to[2] = str_format("%s/../share/copse/%s", here, kind->folder);
	to[3] = strdup(kind->installed);
}

static void free_folders(char *folders[FOLDERS])
{
	for (size_t i = 0; i < FOLDERS; i++)
		free(folders[i]);
}

/* NULL with errno: EINVAL for a pipe, which would be waited for. */
static FILE *open_text(const char *path)
{
	int fd = regular_open(AT_FDCWD, path, O_RDONLY);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !from)
		close(fd);
	if (fd < 0)
		errno = -fd;
	return from;
}

FILE *share_open(const struct share_kind *kind, const char *name)
{
	char *folders[FOLDERS];
	FILE *from = NULL;

	if (strchr(name, '/'))
		return open_text(name);
	list_folders(folders, kind);
	errno = ENOENT;
	for (size_t i = 0; i < FOLDERS && !from && errno != EINVAL; i++) {
		char *path = folders[i] ? str_format("%s/%s%s", folders[i],
						     name, kind->suffix)
					: NULL;

		from = path ? open_text(path) : NULL;
		free(path);
	}
	free_folders(folders);
	return from;
}

char *share_trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	return text;
}

char *share_line(char *line, char **rest)
{
	for (char *at = line; *at; at++)
		if (*at == '#' &&
		    (at == line || isspace((unsigned char)at[-1]))) {
			*at = 0;
			break;
		}
	line = share_trim(line);
	*rest = line + strcspn(line, " \t");
	if (**rest)
		*(*rest)++ = 0;
	*rest = share_trim(*rest);
	return line;
}

static int by_share_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(struct strings *names, const char *folder,
			const char *suffix)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;
	size_t end = strlen(suffix);

	while (dir && (entry = readdir(dir)) && names->count < MOST_NAMES) {
		size_t length = strlen(entry->d_name);

		if (length > end &&
		    !strcmp(entry->d_name + length - end, suffix))
			str_add_n(names, entry->d_name, length - end);
	}
	if (dir)
		closedir(dir);
}

/* An array of pointers, and behind it what they point to. */
static char **in_one_piece(const struct strings *names)
{
	size_t size = (names->count + 1) * sizeof(char *), bytes = 0;
	char **all, *at;

	for (uint32_t i = 1; i < names->count; i++)
		bytes += strlen(names->at[i]) + 1;
	all = calloc(1, size + bytes);
	if (!all)
		return NULL;
	at = (char *)all + size;
	for (uint32_t i = 1; i < names->count; i++) {
		all[i - 1] = strcpy(at, names->at[i]);
		at += strlen(at) + 1;
	}
	if (names->count > 1)
		qsort(all, names->count - 1, sizeof(*all), by_share_name);
	return all;
}

char **share_names(const struct share_kind *kind)
{
	struct strings names = { 0 };
	char *folders[FOLDERS];
	char **all;

	str_add(&names, ""); /* index 0 */
	list_folders(folders, kind);
	for (size_t i = 0; i < FOLDERS; i++)
		list_folder(&names, folders[i], kind->suffix);
	free_folders(folders);
	all = in_one_piece(&names);
	strings_fini(&names);
	return all;
}
