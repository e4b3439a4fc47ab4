/* SPDX-License-Identifier: BSD-3-Clause */
/* source-open.c - go to a file from folder to folder, and look at it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/paths/source-lines.h"
#include "base/err.h"
#include "base/regular.h"
#include "base/str.h"

#define FOLDER (O_PATH | O_DIRECTORY | O_CLOEXEC)

enum {
	LARGEST = 16 << 20 /* bytes of a file */
};

static bool is_source(const char *path)
{
	static const char *const ends[] = {
		".c",   ".cc",  ".cpp", ".cxx", ".c++", ".h",   ".hh",
		".hpp", ".hxx", ".inc", ".ipp", ".tcc", ".f",   ".for",
		".f90", ".f95", ".f03", ".f08", ".F",   ".F90", ".F95",
		".F03", ".F08", ".cu",  ".cuh", ".py",  ".pyx", ".rs",
		".go",  ".jl",  ".d",   ".s",   ".S",   ".asm",
	};
	const char *dot = strrchr(str_base(path), '.');

	for (size_t i = 0; dot && i < sizeof(ends) / sizeof(*ends); i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

static bool may_others_write(const struct stat *st)
{
	return st->st_mode & (S_IWGRP | S_IWOTH);
}

/* What comes by mail to root is root's, too. */
static bool is_system_link(int folder, const struct stat *link)
{
	struct stat st;

	return geteuid() && !link->st_uid && !fstat(folder, &st) &&
	       !st.st_uid && !may_others_write(&st);
}

static int enter_folder(int at, const char *part)
{
	int fd = openat(at, part, FOLDER | O_NOFOLLOW);
	struct stat st;

	if (fd >= 0 || errno != ENOTDIR)
		return fd < 0 ? -errno : fd;
	if (fstatat(at, part, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return -ENOTDIR;
	if (!is_system_link(at, &st))
		return -ELOOP;
	fd = openat(at, part, FOLDER);
	return fd < 0 ? -errno : fd;
}

/* The length of the folder's name where the path begins with it; or 0. */
static size_t length_of_folder_in(const char *path, const char *folder)
{
	size_t length = folder && *folder == '/' ? strlen(folder) : 0;

	while (length && folder[length - 1] == '/')
		length--;
	if (!length || strncmp(path, folder, length) || path[length] != '/')
		return 0;
	return length;
}

/* The folder that the way begins in, and where in the path it goes on. */
static int open_begin(const char *path, const char **rest)
{
	const char *here = getenv("PWD"), *home = getenv("HOME");
	size_t in_here = length_of_folder_in(path, here),
	       in_home = length_of_folder_in(path, home);
	const char *begin = *path == '/' ? "/" : ".";
	int fd;

	if (in_here || in_home)
		begin = in_here >= in_home ? here : home;
	*rest = path + (in_here >= in_home ? in_here : in_home);
	fd = open(begin, FOLDER);
	return fd < 0 ? -errno : fd;
}

/* The folder of a path; *rest is its last part, or where it goes no further. */
static int open_folder_of(const char *path, const char **rest)
{
	int fd = open_begin(path, rest);
	const char *end;

	while (fd >= 0 && (end = strchr(*rest, '/'))) {
		char *part = strndup(*rest, (size_t)(end - *rest));
		int next = !part   ? -ENOMEM
			   : *part ? enter_folder(fd, part)
				   : dup(fd);

		free(part);
		close(fd);
		fd = next;
		if (fd >= 0)
			*rest = end + 1;
	}
	return fd;
}

static bool is_link(int folder, const char *name)
{
	struct stat st;

	return !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode);
}

static int open_no_link(const char *path, struct stat *folder)
{
	const char *rest = path;
	int in = open_folder_of(path, &rest), fd = in;

	if (in >= 0)
		fd = fstat(in, folder)
			     ? -errno
			     : regular_open(in, rest, O_RDONLY | O_NOFOLLOW);
	if (fd == -EINVAL && is_link(in, rest))
		fd = fail(-ELOOP, "it is a link");
	else if (fd == -ELOOP)
		fail(fd,
		     "%.*s is a link, which is followed only for who calls "
		     "copse from there",
		     (int)(rest - path + (ptrdiff_t)strcspn(rest, "/")), path);
	else if (fd == -EINVAL || fd == -EISDIR)
		fail(fd, "it is no regular file");
	else if (fd < 0)
		fail(fd, "%s", strerror(-fd));
	if (in >= 0)
		close(in);
	return fd;
}

/*
 * Debug information may name a file from where the compiler ran: that is tried
 * from here, and from each folder that the program is in.
 */
static int open_named(const char *name, const char *module, struct stat *in)
{
	int fd = open_no_link(name, in);
	char *folder = strdup(module), *end;

	while (fd == -ENOENT && *name != '/' && folder &&
	       (end = strrchr(folder, '/'))) {
		char *full;

		*end = 0;
		full = str_format("%s/%s", folder, name);
		fd = full ? open_no_link(full, in) : no_memory();
		free(full);
	}
	free(folder);
	return fd;
}

/* A file of several names, one of them put here by who does not own it. */
static bool is_link_by_another(const struct stat *st, const struct stat *in)
{
	return st->st_nlink > 1 && (in->st_mode & S_IWOTH ||
				    (in->st_uid && in->st_uid != st->st_uid &&
				     in->st_uid != geteuid()));
}

/* What is there is memory of processes and of the kernel. */
static bool is_no_storage(const char *path)
{
	static const char *const places[] = { "/proc/", "/sys/", "/dev/" };

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (!strncmp(path, places[i], strlen(places[i])))
			return true;
	return false;
}

static int find_real_path(int fd, char path[PATH_MAX])
{
	char name[REGULAR_NAME];
	ssize_t n;

	regular_name(name, fd);
	n = readlink(name, path, PATH_MAX - 1);
	if (n < 0)
		return -errno;
	path[n] = 0;
	return 0;
}

static int check_source(int fd, char path[PATH_MAX], struct stat *st,
			const struct stat *in)
{
	int err = find_real_path(fd, path);

	if (!err && fstat(fd, st))
		err = -errno;
	if (err)
		return fail(err, "%s", strerror(-err));
	if (is_no_storage(path))
		return fail(-EPERM, "it is %s, which is on no disk", path);
	if (is_link_by_another(st, in))
		return fail(-EPERM, "it is a hard link of another user's");
	if (st->st_size > LARGEST)
		return fail(-EFBIG, "it is larger than %d MiB", LARGEST >> 20);
	return 0;
}

int source_open(const char *name, const char *module, char path[PATH_MAX],
		struct stat *st)
{
	struct stat in;
	int fd, err;

	if (!is_source(name))
		return fail(-EPERM, "it has not the name of source");
	fd = open_named(name, module, &in);
	err = fd < 0 ? fd : check_source(fd, path, st, &in);
	if (err && fd >= 0)
		close(fd);
	return err ? err : fd;
}
