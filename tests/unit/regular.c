/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "tests/lib/test.h"

/* The working directory, empty; the number of events in it goes to *events. */
static int scratch(int *events)
{
	static char path[] = "/tmp/copse-unit-XXXXXX";
	int dir = mkdtemp(path) && !chdir(path)
			  ? open(".", O_RDONLY | O_DIRECTORY)
			  : -1;

	*events = inotify_init1(IN_NONBLOCK);
	return dir;
}

static bool scratch_end(void)
{
	char path[64];
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s",
		 getcwd(path, sizeof(path)));
	return !system(command);
}

static void put(const char *name, const char *text)
{
	FILE *to = fopen(name, "w");

	fputs(text, to);
	fclose(to);
}

/* What the file holds, "" when it cannot be opened. */
static const char *content(int dir, const char *name, int flags)
{
	static char text[16];
	int fd = regular_open(dir, name, O_RDONLY | flags);

	memset(text, 0, sizeof(text));
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		*text = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

TEST(a_file_is_opened_below_its_folder)
{
	int events, dir = scratch(&events);

	CHECK(dir, >=, 0);
	put("file", "here");
	CHECK(!symlink("file", "link"));
	CHECK(content(dir, "file", 0), ==, "here");
	CHECK(content(AT_FDCWD, "file", O_NOFOLLOW), ==, "here");
	CHECK(content(AT_FDCWD, "./link", 0), ==, "here");
	CHECK(regular_open(dir, "link", O_RDONLY | O_NOFOLLOW), ==, -EINVAL);
	CHECK(regular_open(dir, "none", O_RDONLY), ==, -ENOENT);
	CHECK(regular_open(AT_FDCWD, ".", O_RDONLY), ==, -EISDIR);
	/* The folders of a path are for messages. */
	CHECK(content(dir, "/no/such/folder/file", 0), ==, "here");
	CHECK(scratch_end());
}

TEST(nothing_else_is_ever_opened)
{
	char event[4096];
	int events, dir = scratch(&events), watch;

	CHECK(dir, >=, 0);
	CHECK(events, >=, 0);
	CHECK(!mkfifo("fifo", 0666) && !symlink("fifo", "link"));
	watch = inotify_add_watch(events, "fifo", IN_OPEN);
	CHECK(watch, >=, 0);
	CHECK(regular_open(dir, "fifo", O_RDONLY), ==, -EINVAL);
	CHECK(regular_open(dir, "fifo", O_RDWR), ==, -EINVAL);
	CHECK(regular_open(dir, "link", O_RDONLY), ==, -EINVAL);
	CHECK(regular_open(AT_FDCWD, "/dev/zero", O_RDONLY), ==, -EINVAL);
	CHECK(read(events, event, sizeof(event)), <, 0);
	CHECK(errno, ==, EAGAIN);
	/* That it would have been seen. */
	close(open("fifo", O_RDONLY | O_NONBLOCK));
	CHECK(read(events, event, sizeof(event)), >, 0);
	CHECK(scratch_end());
}

TEST(a_new_file_is_not_made_through_a_link)
{
	int events, dir = scratch(&events), fd;
	char name[REGULAR_NAME];

	CHECK(dir, >=, 0);
	put("mine", "mine");
	CHECK(!symlink("mine", "new.part"));
	fd = regular_create(dir, "some/where/new.part");
	CHECK(fd, >=, 0);
	CHECK(write(fd, "fresh", 5), ==, 5);
	CHECK(content(dir, "mine", 0), ==, "mine");
	CHECK(content(dir, "new.part", O_NOFOLLOW), ==, "fresh");
	/* By the name of what is open, also when it has lost its own. */
	CHECK(!rename("mine", "new.part"));
	regular_name(name, fd);
	CHECK(content(AT_FDCWD, name, 0), ==, "fresh");
	CHECK(!mkdir("taken", 0777));
	CHECK(regular_create(dir, "taken"), ==, -EISDIR);
	CHECK(scratch_end());
}
