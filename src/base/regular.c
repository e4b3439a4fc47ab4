/* SPDX-License-Identifier: BSD-3-Clause */
/* regular.c - open regular files, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/str.h"

const char *regular_part(int dir, const char *path)
{
	return dir == AT_FDCWD ? path : str_base(path);
}

void regular_name(char to[REGULAR_NAME], int fd)
{
	snprintf(to, REGULAR_NAME, "/proc/self/fd/%d", fd);
}

static int check_regular(int fd)
{
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/*
 * What the descriptor of O_PATH stands for, without asking for its name; but
 * without /proc, and on NFS where another host has replaced the file: what this
 * one remembers of the name is stale, and only to open it by name is not.
 */
static int open_by_descriptor(int fd, int dir, const char *path, int flags)
{
	char name[REGULAR_NAME];
	int again;

	regular_name(name, fd);
	again = open(name, flags & ~O_NOFOLLOW);
	if (again < 0 && (errno == ENOENT || errno == ESTALE))
		again = openat(dir, path, flags);
	return again < 0 ? -errno : again;
}

/* A file that somebody holds a lease on is not waited for either. */
int regular_open(int dir, const char *path, int flags)
{
	const char *part = regular_part(dir, path);
	int fd, again, err;

	fd = openat(dir, part, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	err = check_regular(fd);
	if (err && fd < 0)
		return err;
	again = err ? err
		    : open_by_descriptor(fd, dir, part,
					 flags | O_CLOEXEC | O_NONBLOCK |
						 O_NOCTTY);
	close(fd);
	err = again < 0 ? 0 : check_regular(again);
	if (!err)
		return again;
	close(again);
	return err;
}

int regular_create(int dir, const char *path)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	const char *part = regular_part(dir, path);
	int fd = openat(dir, part, flags, 0666);

	if (fd < 0 && errno == EEXIST && !unlinkat(dir, part, 0))
		fd = openat(dir, part, flags, 0666);
	return fd < 0 ? -errno : fd;
}

DIR *regular_list(int dir)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !folder)
		close(fd);
	return folder;
}

/* Nothing, or a file; also out of memory: no. */
static bool is_no_pipe(char *path)
{
	struct stat st;
	bool is = path && (stat(path, &st) || S_ISREG(st.st_mode));

	free(path);
	return is;
}

bool regular_or_none(const char *beside, const char *below, const char *name)
{
	int folder = (int)(str_base(beside) - beside);

	return is_no_pipe(
		       str_format("%.*s%s%s", folder, beside, below, name)) &&
	       (*name != '/' || is_no_pipe(strdup(name)));
}
