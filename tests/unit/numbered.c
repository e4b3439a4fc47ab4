/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/numbered.h"
#include "tests/lib/test.h"

static bool is_called(const char *name, unsigned int n, const char *path)
{
	char *made = numbered_name(name, n);
	bool same = made && !strcmp(made, path) && numbered_is(path, name);

	free(made);
	return same;
}

TEST(a_number_stands_before_the_suffix)
{
	CHECK(is_called("app.copse", 1, "app.copse"));
	CHECK(is_called("app.copse", 2, "app.2.copse"));
	CHECK(is_called("/a.copse/b", 12, "/a.copse/b.12"));
	CHECK(is_called("a/.copse", 2, "a/.copse.2"));
	CHECK(is_called("app-1.2.copse", 3, "app-1.2.3.copse"));
}

TEST(other_names_are_no_numbered_ones)
{
	CHECK(!numbered_is("app.x.copse", "app.copse"));
	CHECK(!numbered_is("app..copse", "app.copse"));
	CHECK(!numbered_is("app.2.copse2", "app.copse"));
	CHECK(!numbered_is("app.2.2.copse", "app.copse"));
	CHECK(!numbered_is("application.copse", "app.copse"));
	CHECK(!numbered_is("app.copse", "app.2.copse"));
}

/* A run that began that many seconds after 1970. */
static void put_run(const char *dir, const char *file, time_t when)
{
	const struct timespec times[2] = { { .tv_sec = when },
					   { .tv_sec = when } };
	char path[64];

	mkdir(dir, 0777);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	close(open(path, O_CREAT | O_WRONLY, 0666));
	snprintf(path, sizeof(path), "%s/.job", dir);
	close(open(path, O_CREAT | O_WRONLY, 0666));
	utimensat(AT_FDCWD, path, times, 0);
}

static bool newest_is(const char *name, const char *path, size_t of)
{
	size_t count;
	char *found = numbered_newest(name, &count);
	bool same =
		count == of && (found ? path && !strcmp(found, path) : !path);

	free(found);
	return same;
}

TEST(the_newest_is_the_one_that_began_last)
{
	char scratch[] = "/tmp/copse-unit-XXXXXX", command[64];

	CHECK(mkdtemp(scratch) && !chdir(scratch));
	CHECK(newest_is("app.copse", NULL, 0));
	put_run("app.copse", "rank-0.h5", 1000);
	CHECK(newest_is("./app.copse", "./app.copse", 1));
	put_run("app.2.copse", "node-a.h5", 2000);
	put_run("app.10.copse", "rank-0.h5", 2000);
	put_run("app.11.copse", "other", 3000); /* has only begun */
	put_run("app.x.copse", "rank-0.h5", 4000);
	CHECK(newest_is("app.copse", "app.10.copse", 3));
	put_run("app.copse", "rank-0.h5", 5000); /* replaced */
	CHECK(newest_is("app.copse", "app.copse", 3));
	CHECK(newest_is("/no/where/app.copse", NULL, 0));
	snprintf(command, sizeof(command), "rm -r %s", scratch);
	CHECK(!system(command));
}
