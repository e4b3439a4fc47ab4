/* SPDX-License-Identifier: BSD-3-Clause */
/* event-group.c - finding and reading NAME.ev. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/event-group.h"
#include "base/install-dir.h"
#include "base/str.h"

enum {
	FOLDERS = 4,
	MOST_TEXT = 65536,
	MOST_NAMES = 256,
};

static const char suffix[] = ".ev";

/* Where groups may be, the user's own first; the caller frees them. */
static void list_folders(char *to[FOLDERS])
{
	const char *own = getenv("COPSE_GROUPS");
	char here[PATH_MAX] = ".";

	install_dir(here);
	to[0] = own && *own ? strdup(own) : NULL;
	to[1] = str_format("%s/events", here);
	to[2] = str_format("%s/../share/copse/events", here);
	to[3] = strdup(GROUPSDIR);
}

static void free_folders(char *folders[FOLDERS])
{
	for (size_t i = 0; i < FOLDERS; i++)
		free(folders[i]);
}

static FILE *open_group_file(const char *name)
{
	char *folders[FOLDERS];
	FILE *from = NULL;

	if (strchr(name, '/'))
		return fopen(name, "re");
	list_folders(folders);
	for (size_t i = 0; i < FOLDERS && !from; i++) {
		char *path = folders[i] ? str_format("%s/%s%s", folders[i],
						     name, suffix)
					: NULL;

		from = path ? fopen(path, "re") : NULL;
		free(path);
	}
	free_folders(folders);
	return from;
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (isspace((unsigned char)*text))
		text++;
	while (end > text && isspace((unsigned char)end[-1]))
		*--end = 0;
	return text;
}

static int add_event_row(struct event_group_row *rows, size_t *count,
			 size_t most, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || *count == most)
		return -EINVAL;
	*equals = 0;
	rows[*count].word = trim(text);
	rows[*count].is = trim(equals + 1);
	if (!*rows[*count].word || !*rows[*count].is)
		return -EINVAL;
	++*count;
	return 0;
}

static int read_group_line(struct event_group *g, char *line)
{
	char *comment = strchr(line, '#'), *rest;
	size_t word;

	if (comment)
		*comment = 0;
	line = trim(line);
	word = strcspn(line, " \t");
	rest = trim(line + word);
	if (!word)
		return 0;
	line[word] = 0;
	if (!strcmp(line, "title")) {
		g->title = rest;
		return 0;
	}
	if (!strcmp(line, "event"))
		return add_event_row(g->events, &g->event_count, EVENT_MOST,
				     rest);
	if (!strcmp(line, "metric"))
		return add_event_row(g->metrics, &g->metric_count,
				     EVENT_GROUP_METRICS, rest);
	return -EINVAL;
}

static int read_group_lines(struct event_group *g)
{
	char *line, *next = g->text;

	for (int number = 1; (line = strsep(&next, "\n")); number++)
		if (read_group_line(g, line))
			return fail(-EINVAL,
				    "the group %s, line %d: 'title TEXT', "
				    "'event WORD = EVENT' or 'metric NAME = "
				    "FORMULA' is wanted (at most %d events, "
				    "%d metrics)",
				    g->name, number, EVENT_MOST,
				    EVENT_GROUP_METRICS);
	return 0;
}

static int unknown_group(const char *name)
{
	char **names = event_group_names();
	char known[400] = "";
	size_t used = 0;

	for (size_t i = 0; names && names[i] && used < sizeof(known) - 1; i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", i ? ", " : "", names[i]);
	free(names);
	return fail(-ENOENT, "no group of events '%s'; known are %s", name,
		    *known ? known : "none");
}

int event_group_load(struct event_group **to, const char *name)
{
	FILE *from = open_group_file(name);
	struct event_group *g;
	int err;

	if (!from)
		return unknown_group(name);
	g = calloc(1, sizeof(*g));
	if (g) {
		g->name = strdup(name);
		g->text = calloc(1, MOST_TEXT);
	}
	if (!g || !g->name || !g->text) {
		err = no_memory();
	} else {
		g->title = "";
		g->text[fread(g->text, 1, MOST_TEXT - 1, from)] = 0;
		err = read_group_lines(g);
	}
	fclose(from);
	if (err)
		event_group_free(g);
	else
		*to = g;
	return err;
}

void event_group_free(struct event_group *group)
{
	if (!group)
		return;
	free(group->name);
	free(group->text);
	free(group);
}

static int by_event_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list_folder(struct strings *names, const char *folder)
{
	DIR *dir = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && names->count < MOST_NAMES) {
		size_t length = strlen(entry->d_name);
		size_t end = sizeof(suffix) - 1;

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
		qsort(all, names->count - 1, sizeof(*all), by_event_text);
	return all;
}

char **event_group_names(void)
{
	struct strings names = { 0 };
	char *folders[FOLDERS];
	char **all;

	str_add(&names, ""); /* index 0 */
	list_folders(folders);
	for (size_t i = 0; i < FOLDERS; i++)
		list_folder(&names, folders[i]);
	free_folders(folders);
	all = in_one_piece(&names);
	strings_fini(&names);
	return all;
}
