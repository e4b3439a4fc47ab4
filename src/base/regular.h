/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regular.h - opens regular files, and nothing else, in folders that others can
 * write to.
 *
 * Opening a FIFO waits for its other end, and opening a device may start
 * something.  So we open only regular files, even when somebody replaces the
 * file at the same moment.  (Two cases are left: without /proc, and on NFS when
 * another host has just replaced the file.)
 *
 * `dir` and `path` are those of openat(), with one exception: below a `dir`
 * only the last part of `path` counts, so that callers can pass the path that
 * they print in messages.  With AT_FDCWD the whole path counts.
 *
 * Failure   -errno, no reason.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>

enum {
	REGULAR_NAME = 32
};

/*
 * Open an existing file with these flags of open(); O_CLOEXEC and O_NONBLOCK
 * are added.  -EISDIR: it is a directory; -EINVAL: it is no regular file or,
 * with O_NOFOLLOW, it is a link.
 */
int regular_open(int dir, const char *path, int flags);

/*
 * Create a file, to read and write, without following a link.  Removes first
 * what has its name: use it for temporary names, which a killed process may
 * leave behind.
 */
int regular_create(int dir, const char *path);

/*
 * Whether a library may look for a file: it opens whatever has the name, and
 * waits for a pipe.  `beside` is a file in whose folder `below`, "" or with a
 * slash at its end, the name is looked for; absolute names count as well.
 */
bool regular_or_none(const char *beside, const char *below, const char *name);

/* A path that leads to an open file, for libraries that open by path. */
void regular_name(char to[REGULAR_NAME], int fd);

/* Open the folder for readdir(), at its beginning; NULL: errno says why. */
DIR *regular_list(int dir);

/* The part of the path that counts. */
const char *regular_part(int dir, const char *path);
