/* SPDX-License-Identifier: BSD-3-Clause */
/* event-group.c - finding and reading NAME.ev. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/event-group.h"
#include "base/share-file.h"

enum {
	MOST_TEXT = 65536
};

static const struct share_kind group_files = {
	.own = "COPSE_GROUPS",
	.folder = "events",
	.installed = GROUPSDIR,
	.suffix = ".ev",
};

static int add_event_row(struct event_group_row *rows, size_t *count,
			 size_t most, char *text)
{
	char *equals = strchr(text, '=');

	if (!equals || *count == most)
		return -EINVAL;
	*equals = 0;
	rows[*count].word = share_trim(text);
	rows[*count].is = share_trim(equals + 1);
	if (!*rows[*count].word || !*rows[*count].is)
		return -EINVAL;
	++*count;
	return 0;
}

static int read_group_line(struct event_group *g, char *line)
{
	char *rest;

	line = share_line(line, &rest);
	if (!*line)
		return 0;
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
	FILE *from = share_open(&group_files, name);
	struct event_group *g;
	int err;

	if (!from && errno == EINVAL)
		return fail(-EINVAL, "the group %s is no regular file", name);
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

char **event_group_names(void)
{
	return share_names(&group_files);
}
