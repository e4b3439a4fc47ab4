/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regular.h - files in folders that others can write to: to read one is to open
 * a regular file and nothing else, to write one is to make it.
 *
 * Nothing but a regular file is ever opened, whoever exchanges it meanwhile: to
 * open a FIFO is to wait for its other end, to open a device may start
 * something.  (Without /proc, and on NFS where another host has just replaced
 * the file, somebody could do that between two questions.)
 *
 * A file is named by `dir` and `path`, as openat() has them, but that a `path`
 * with folders may be given for the sake of messages: below a `dir` only its
 * last part counts.  AT_FDCWD: the path as it is.
 *
 * Failure   -errno, no reason.
 */
#ifndef BASE_REGULAR_H
#define BASE_REGULAR_H

#include <dirent.h>

enum {
	REGULAR_NAME = 32
};

/*
 * Open a file that is there, with these flags of open(); O_CLOEXEC and
 * O_NONBLOCK need not be said.  -EISDIR: it is a directory; -EINVAL: something
 * else than a file, or with O_NOFOLLOW a link.
 */
int regular_open(int dir, const char *path, int flags);

/*
 * A new one, to read and write, not by way of a link.  What has its name is
 * removed first: for temporary names, where it was left by a killed process.
 */
int regular_create(int dir, const char *path);

/* What to call one that is open, for libraries that open it by a name. */
void regular_name(char to[REGULAR_NAME], int fd);

/* To list the folder, from its beginning; NULL: errno says why. */
DIR *regular_list(int dir);

/* The part of the path that counts. */
const char *regular_part(int dir, const char *path);

#endif
