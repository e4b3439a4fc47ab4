/* SPDX-License-Identifier: BSD-3-Clause */
/* node-output.c - one file for all profiles of a host. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "launch/host-lock.h"
#include "launch/node-output.h"
#include "launch/output.h"
#include "profile/store/node-file.h"

enum {
	MOST_HOSTS = 99, /* of one name */
	PATIENCE_MS = 5000,
	MOST_BYTES = 1 << 30,
};

/* What is at `from`, by malloc. */
static int read_host_file(const char *from, void **to, size_t *size)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st = { 0 };
	int err = fd < 0 || fstat(fd, &st) ? -errno : 0;
	size_t at = 0;

	if (!err && st.st_size > MOST_BYTES)
		err = -EFBIG;
	*to = err ? NULL : malloc((size_t)st.st_size + 1);
	if (!err && !*to)
		err = -ENOMEM;
	while (!err && at < (size_t)st.st_size) {
		ssize_t n = pread(fd, (char *)*to + at, (size_t)st.st_size - at,
				  (off_t)at);

		if (n <= 0 && !(n < 0 && errno == EINTR))
			err = n ? -errno : -EIO;
		at += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	*size = at;
	return err;
}

/* Into the file of that name, made if need be. */
static int add_to(int dir, const char *path, const struct host_lock *lock,
		  const char *scratch, const char *const names[],
		  const void *bytes, size_t size)
{
	int err = node_file_add(dir, path, lock->owner, names, bytes, size);

	if (err != -ENOENT)
		return err;
	err = node_file_create(dir, path, lock->owner, scratch);
	if (err && err != -EEXIST)
		return err;
	return node_file_add(dir, path, lock->owner, names, bytes, size);
}

/* -EINVAL is a file that somebody else has begun, or left. */
static int add_host_output(const struct output *output, const char *host,
			   const struct host_lock *lock, const char *scratch,
			   const char *const names[], const void *bytes,
			   size_t size)
{
	int err = -EEXIST;

	for (int i = 1; i <= MOST_HOSTS && (err == -EEXIST || err == -EINVAL);
	     i++) {
		char number[16] = "", *path;

		if (i > 1)
			snprintf(number, sizeof(number), "-%d", i);
		path = str_format("%s/node-%s%s.h5", output->path, host,
				  number);
		err = path ? add_to(output->fd, path, lock, scratch, names,
				    bytes, size)
			   : -ENOMEM;
		free(path);
	}
	return err;
}

int node_output_add(const struct output *output, const char *host,
		    const char *scratch, const char *from,
		    const char *const names[])
{
	char *shell = str_format("%s/node.h5", scratch);
	struct host_lock lock;
	void *bytes = NULL;
	size_t size = 0;
	int err = shell ? read_host_file(from, &bytes, &size) : -ENOMEM;

	if (!err)
		err = host_lock_take(&lock, PATIENCE_MS);
	if (!err) {
		err = add_host_output(output, host, &lock, shell, names, bytes,
				      size);
		host_lock_release(&lock);
	}
	if (!err)
		unlink(from);
	free(bytes);
	free(shell);
	return err ? fail(err, "%s/node-%s.h5: cannot be added to: %s",
			  output->path, host, strerror(-err))
		   : 0;
}
