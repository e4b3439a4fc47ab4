/* SPDX-License-Identifier: BSD-3-Clause */
/* host-marks.c - the marks of a host's ranks in one file. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "launch/desk.h"
#include "launch/host-marks.h"

#define PREFIX ".host-"

enum {
	PATIENCE_MS = 5000 /* many ranks of a host begin at once */
};

struct marks {
	int begun, done;
	bool has_begun; /* the rank that is asked for */
};

static bool read_marks(const char *path, int rank, struct marks *marks)
{
	FILE *from = fopen(path, "re");
	char word[8];
	int number;

	if (!from)
		return errno == ENOENT;
	while (fscanf(from, "%7s %d", word, &number) == 2) {
		bool begun = !strcmp(word, "begun");

		marks->begun += begun;
		marks->done += !begun;
		marks->has_begun |= begun && number == rank;
	}
	fclose(from);
	return true;
}

static int add_mark(const char *path, const char *word, int rank)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	char line[32];
	int length = snprintf(line, sizeof(line), "%s %d\n", word, rank);
	int err = fd < 0 ? -errno : 0;

	if (!err && write(fd, line, (size_t)length) != length)
		err = -ENOSPC;
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	return err;
}

static char *path_of(const char *dir, const char *host, const struct desk *desk)
{
	return str_format("%s/" PREFIX "%s-%s", dir, host, desk->owner);
}

int host_marks_begin(const char *dir, const char *host, int rank)
{
	struct marks marks = { 0 };
	struct desk desk;
	int err = desk_take(&desk, PATIENCE_MS);
	char *path;

	if (err)
		return err;
	path = path_of(dir, host, &desk);
	if (!path || !read_marks(path, rank, &marks))
		err = -EIO;
	else
		err = marks.has_begun ? -EEXIST : add_mark(path, "begun", rank);
	free(path);
	desk_leave(&desk);
	return err;
}

/* How many ranks are done on all hosts: opened, so that it is what is there. */
static int done_everywhere(const char *dir)
{
	DIR *folder = opendir(dir);
	struct marks marks = { 0 };
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		char *path = strncmp(entry->d_name, PREFIX, strlen(PREFIX))
				     ? NULL
				     : str_format("%s/%s", dir, entry->d_name);

		if (path)
			read_marks(path, -1, &marks);
		free(path);
	}
	if (folder)
		closedir(folder);
	return marks.done;
}

/* Only the last of a host can be the last of all. */
bool host_marks_done(const char *dir, const char *host, int rank, int size)
{
	struct marks marks = { 0 };
	struct desk desk;
	char *path;
	bool last;

	if (desk_take(&desk, PATIENCE_MS))
		return false;
	path = path_of(dir, host, &desk);
	last = path && !add_mark(path, "done", rank) &&
	       read_marks(path, rank, &marks) && marks.done >= marks.begun;
	free(path);
	desk_leave(&desk);
	return last && done_everywhere(dir) >= size;
}

static bool each(const char *dir, bool remove)
{
	DIR *folder = opendir(dir);
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

void host_marks_remove(const char *dir)
{
	each(dir, true);
}

bool host_marks_there(const char *dir)
{
	return each(dir, false);
}
