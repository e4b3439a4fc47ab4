/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/event-group.h"
#include "tests/lib/test.h"

/* A folder with one group in it, which is looked into first. */
static void with_group(char folder[64], const char *text)
{
	char path[128];
	FILE *to;

	strcpy(folder, "/tmp/copse-unit-XXXXXX");
	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/mine.ev", folder);
	to = fopen(path, "w");
	CHECK(to != NULL);
	fputs(text, to);
	fclose(to);
	setenv("COPSE_GROUPS", folder, 1);
}

static void without_group(const char *folder)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/mine.ev", folder);
	unlink(path);
	rmdir(folder);
}

TEST(event_group_is_read_with_its_rows)
{
	struct event_group *g;
	char folder[64];
	int err;

	with_group(folder, "# mine\ntitle  Two words \n\n"
			   "event a = perf::PAGE-FAULTS@100 # why\n"
			   "metric MB/s of a = a / time\n");
	err = event_group_load(&g, "mine");
	without_group(folder);
	CHECK(!err);
	CHECK(g->title, ==, "Two words");
	CHECK(g->event_count, ==, 1);
	CHECK(g->metric_count, ==, 1);
	CHECK(g->events[0].word, ==, "a");
	CHECK(g->events[0].is, ==, "perf::PAGE-FAULTS@100");
	CHECK(g->metrics[0].word, ==, "MB/s of a");
	CHECK(g->metrics[0].is, ==, "a / time");
	event_group_free(g);
}

TEST(event_group_with_a_wrong_line_names_it)
{
	struct event_group *g;
	char folder[64];
	int err;

	with_group(folder, "title x\nevent without an equals sign\n");
	err = event_group_load(&g, "mine");
	without_group(folder);
	CHECK(err, ==, -EINVAL);
	CHECK(strstr(fail_reason(), "line 2"));
}

TEST(event_group_that_is_missing_lists_those_known)
{
	struct event_group *g;
	char folder[64], **names;
	bool known = false;
	int err;

	with_group(folder, "title x\n");
	names = event_group_names();
	err = event_group_load(&g, "none");
	without_group(folder);
	CHECK(names != NULL);
	for (size_t i = 0; names[i]; i++)
		known |= !strcmp(names[i], "mine");
	free(names);
	CHECK(known);
	CHECK(err, ==, -ENOENT);
	CHECK(strstr(fail_reason(), "mine"));
}
