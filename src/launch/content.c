/* SPDX-License-Identifier: BSD-3-Clause */
/* content.c - what is in a live file, read, and completed by its parent. */
#include "launch/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/timebase.h"
#include "launch/harvest.h"
#include "launch/power-file.h"
#include "live/layout.h"

static int read_content(int fd, char *to, size_t size)
{
	for (size_t at = 0; at < size;) {
		ssize_t n = pread(fd, to + at, size - at, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -EIO;
		at += (size_t)n;
	}
	return 0;
}

size_t content_used(int fd)
{
	struct live_header head;
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof(head) ||
	    pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    head.magic != LIVE_MAGIC || head.used < sizeof(head))
		return 0;
	return head.used < (uint64_t)st.st_size ? head.used
						: (size_t)st.st_size;
}

/*
 * Read, not mapped: reading a hole of a tmpfs file through a mapping would
 * allocate its page.
 */
int content_read(struct content *c, const char *folder)
{
	char *path = str_format("%s/%s", folder, c->file.name);
	int fd = -1, err = -ENOMEM;

	c->live = NULL;
	if (!path)
		goto out;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	err = -errno;
	if (fd < 0)
		goto out;
	c->size = content_used(fd);
	err = c->size ? 0 : CONTENT_EMPTY;
	if (err)
		goto out;
	c->live = malloc(c->size);
	err = c->live ? read_content(fd, (char *)c->live, c->size) : -ENOMEM;
out:
	if (err) {
		free(c->live);
		c->live = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (err && err != CONTENT_EMPTY)
		fail(err, "cannot read %s: %s", path ? path : c->file.name,
		     strerror(-err));
	free(path);
	return err;
}

/*
 * What the process could not know.  Its clock may be another than ours: what
 * it runs can have moved to another time namespace.
 */
void content_stamp(struct content *c, const struct harvest *h)
{
	uint64_t ours = timebase_id();
	struct live_header *live;
	struct timebase late;

	power_file_append(h->live_dir, &c->live, &c->size);
	live = c->live;
	snprintf(live->job, sizeof(live->job), "%s", h->key);
	live->batch = h->batch;
	if (!live->clock_id)
		live->clock_id = ours; /* it could not read /proc */
	if (live->clock_id != ours)
		return;
	timebase_now(&late);
	live->late_real_ns = late.real_ns;
	live->late_mono_ns = late.mono_ns;
}
