/* SPDX-License-Identifier: BSD-3-Clause */
/* host-lock.c - a lock for the processes of one user on one host. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/timebase.h"
#include "launch/host-lock.h"
#include "launch/livedir.h"

enum {
	STEP_MS = 2
};

/* The folder may have been removed and made again meanwhile. */
static bool is_same_folder(const char *path, const struct stat *st)
{
	struct stat now;

	return !stat(path, &now) && now.st_dev == st->st_dev &&
	       now.st_ino == st->st_ino;
}

static int lock_host(int fd, unsigned int patience_ms)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };

	for (unsigned int ms = 0; ms < patience_ms; ms += STEP_MS) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&step, NULL);
	}
	return -ETIMEDOUT;
}

int host_lock_take(struct host_lock *lock, unsigned int patience_ms)
{
	char path[PATH_MAX];
	struct stat st;
	int err = livedir_base(path);

	if (err)
		return err;
	lock->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	err = lock->fd < 0 ? -errno : lock_host(lock->fd, patience_ms);
	if (!err && (fstat(lock->fd, &st) || !is_same_folder(path, &st)))
		err = -ESTALE;
	if (!err)
		snprintf(lock->owner, sizeof(lock->owner),
			 "%016" PRIx64 "-%llx-%llx", timebase_id(),
			 (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino);
	if (err && lock->fd >= 0)
		close(lock->fd);
	return err;
}

void host_lock_release(struct host_lock *lock)
{
	close(lock->fd);
	lock->fd = -1;
}
