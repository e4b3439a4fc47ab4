/* SPDX-License-Identifier: BSD-3-Clause */
/* host-marks.c - the marks of a host's ranks in one file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/str.h"
#include "launch/host-lock.h"
#include "launch/host-marks.h"

#define PREFIX ".host-"

enum {
	PATIENCE_MS = 5000 /* many ranks of a host begin at once */
};

struct rank_marks {
	int begun, done;
	bool has_begun; /* the rank that is asked for */
};

static bool read_marks(int dir, const char *name, int rank,
		       struct rank_marks *marks)
{
	int fd = regular_open(dir, name, O_RDONLY | O_NOFOLLOW);
	FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
	char word[8];
	int number;

	if (!from)
		return fd == -ENOENT;
	while (fscanf(from, "%7s %d", word, &number) == 2) {
		bool begun = !strcmp(word, "begun");

		marks->begun += begun;
		marks->done += !begun;
		marks->has_begun |= begun && number == rank;
	}
	fclose(from);
	return true;
}

static int add_mark(int dir, const char *name, const char *word, int rank)
{
	int fd = regular_open(dir, name, O_WRONLY | O_APPEND | O_NOFOLLOW);
	char line[32];
	int length = snprintf(line, sizeof(line), "%s %d\n", word, rank);
	int err;

	if (fd == -ENOENT)
		fd = regular_create(dir, name);
	err = fd < 0 ? fd : 0;
	if (!err && write(fd, line, (size_t)length) != length)
		err = -ENOSPC;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	return err;
}

static char *mark_name_of(const char *host, const struct host_lock *lock)
{
	return str_format(PREFIX "%s-%s", host, lock->owner);
}

int host_marks_begin(int dir, const char *host, int rank)
{
	struct rank_marks marks = { 0 };
	struct host_lock lock;
	int err = host_lock_take(&lock, PATIENCE_MS);
	char *name;

	if (err)
		return err;
	name = mark_name_of(host, &lock);
	if (!name || !read_marks(dir, name, rank, &marks))
		err = -EIO;
	else
		err = marks.has_begun ? -EEXIST
				      : add_mark(dir, name, "begun", rank);
	free(name);
	host_lock_release(&lock);
	return err;
}

/* How many ranks are done on all hosts: opened, so that it is what is there. */
static int done_everywhere(int dir)
{
	DIR *folder = regular_list(dir);
	struct rank_marks marks = { 0 };
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (!strncmp(entry->d_name, PREFIX, strlen(PREFIX)))
			read_marks(dir, entry->d_name, -1, &marks);
	if (folder)
		closedir(folder);
	return marks.done;
}

/* Only the last of a host can be the last of all. */
bool host_marks_done(int dir, const char *host, int rank, int size)
{
	struct rank_marks marks = { 0 };
	struct host_lock lock;
	char *name;
	bool last;

	if (host_lock_take(&lock, PATIENCE_MS))
		return false;
	name = mark_name_of(host, &lock);
	last = name && !add_mark(dir, name, "done", rank) &&
	       read_marks(dir, name, rank, &marks) && marks.done >= marks.begun;
	free(name);
	host_lock_release(&lock);
	return last && done_everywhere(dir) >= size;
}

bool host_marks_go_on(int dir, const char *name)
{
	struct rank_marks marks = { 0 };

	return read_marks(dir, name, -1, &marks) && marks.done < marks.begun;
}

static bool each_mark(int dir, bool remove)
{
	DIR *folder = regular_list(dir);
	struct dirent *entry;
	bool any = false;

	while (folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) != 0)
			continue;
		any = true;
		if (remove)
			unlinkat(dirfd(folder), entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
	return any;
}

void host_marks_remove(int dir)
{
	each_mark(dir, true);
}

bool host_marks_there(int dir)
{
	return each_mark(dir, false);
}
