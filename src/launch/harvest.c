/* SPDX-License-Identifier: BSD-3-Clause */
/* harvest.c - raw copies of live profiles. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/regular.h"
#include "base/str.h"
#include "launch/content.h"
#include "launch/harvest.h"
#include "launch/output.h"
#include "live/layout.h"

/* One rank, but when a launcher was put behind `copse run`. */
enum {
	MOST_LEFT_OUT = 256
};

struct harvest_copy {
	char name[64]; /* of the live file */
	char *copy;    /* the name of the raw copy */
	uint64_t hash; /* of what was copied */
};

void harvest_fini(struct harvest *h)
{
	for (size_t i = 0; i < h->copy_count; i++)
		free(h->copies[i].copy);
	free(h->copies);
	h->copies = NULL;
	h->copy_count = 0;
}

/* Of another version each field may be elsewhere. */
static bool has_our_layout(int fd)
{
	uint32_t version;

	return content_used(fd) &&
	       pread(fd, &version, sizeof(version),
		     offsetof(struct live_header, version)) ==
		       sizeof(version) &&
	       version == LIVE_VERSION;
}

void harvest_write_header(const char *folder, const struct live_file *file,
			  const void *what, size_t size, size_t offset)
{
	char *path = str_format("%s/%s", folder, file->name);
	int fd = path ? open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;

	free(path);
	if (fd < 0)
		return;
	if (has_our_layout(fd) && pwrite(fd, what, size, (off_t)offset) < 0)
		errno = 0; /* then it is not known */
	close(fd);
}

/* CPU time of a process in pauses; one may have lasted until its end. */
static uint64_t paused_cpu(const char *folder, const struct live_file *file,
			   uint64_t end_ns)
{
	char *path = str_format("%s/%s", folder, file->name);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct live_pauses p;
	bool good = fd >= 0 &&
		    pread(fd, &p, sizeof(p),
			  offsetof(struct live_header, pauses)) == sizeof(p);

	if (fd >= 0)
		close(fd);
	free(path);
	if (!good)
		return 0;
	if (p.since_cpu_ns && end_ns > p.since_cpu_ns)
		p.cpu_ns += end_ns - p.since_cpu_ns;
	return p.cpu_ns;
}

/* Nothing can be compared where some were not to be measured. */
static struct family count_family(const struct harvest *h,
				  const struct live_file *files, size_t count,
				  const struct family *used)
{
	uint64_t cpu_ns = used->user_ns + used->system_ns, paused = 0;
	struct family family = *used;
	struct live_tally tally;

	livedir_tally(h->live_dir, &tally);
	for (size_t i = 0; i < count; i++)
		paused += paused_cpu(h->live_dir, &files[i],
				     files[i].pid == h->child ? h->end.cpu_ns
							      : 0);
	family.cpu_ns = tally.left_out || paused > cpu_ns ? 0 : cpu_ns - paused;
	family.start_ns = tally.start_ns;
	family.own_ns = tally.own_ns;
	family.unsampled = tally.unsampled;
	family.failed = tally.failed;
	return family;
}

void harvest_end(struct harvest *h, const struct live_end *end,
		 const struct family *used)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files), last = count;
	struct family family;

	h->end = *end;
	family = count_family(h, files, count, used);
	while (last && files[last - 1].pid != h->child)
		last--;
	if (last)
		harvest_write_header(h->live_dir, &files[last - 1], end,
				     sizeof(*end),
				     offsetof(struct live_header, end));
	if (count)
		harvest_write_header(h->live_dir, &files[last ? last - 1 : 0],
				     &family, sizeof(family),
				     offsetof(struct live_header, family));
	free(files);
}

static uint64_t hash_content(const struct content *c)
{
	const char *data = (const char *)c->live;
	uint64_t sum = 0xcbf29ce484222325u, word;

	for (size_t at = 0; at + 8 <= c->size; at += 8) {
		memcpy(&word, data + at, 8);
		sum = (sum ^ word) * 0x100000001b3u;
		sum ^= sum >> 29;
	}
	return sum;
}

/* Write a file under a temporary name, then give it its own. */
static int write_raw(int dir, const char *name, const struct content *c)
{
	char *temporary = str_format("%s.part", name);
	const char *data = (const char *)c->live;
	int fd = -1, err = -ENOMEM;

	if (!temporary)
		return err;
	fd = regular_create(dir, temporary);
	err = fd < 0 ? fd : 0;
	for (size_t at = 0; !err && at < c->size;) {
		ssize_t n = write(fd, data + at, c->size - at);

		if (n < 0)
			err = -errno;
		else
			at += (size_t)n;
	}
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && renameat(dir, temporary, dir, name))
		err = -errno;
	if (err)
		unlinkat(dir, temporary, 0);
	free(temporary);
	return err;
}

static struct harvest_copy *harvested_copy(struct harvest *h, const char *name)
{
	struct harvest_copy fresh = { 0 };

	for (size_t i = 0; i < h->copy_count; i++)
		if (!strcmp(h->copies[i].name, name))
			return &h->copies[i];
	strcpy(fresh.name, name);
	return array_append(&h->copies, &h->copy_count, &h->copy_room,
			    sizeof(fresh), &fresh)
		       ? &h->copies[h->copy_count - 1]
		       : NULL;
}

char *harvest_raw_name(const struct live_file *file, int rank)
{
	return str_format("rank-%d-%d-%u.live", rank, (int)file->pid,
			  file->sequence);
}

bool harvest_copy(struct harvest *h, struct content *c)
{
	int rank = c->live->rank >= 0 ? c->live->rank : h->rank;
	struct harvest_copy *copy = harvested_copy(h, c->file.name);
	int dir = h->output->fd;
	uint64_t now = hash_content(c);
	char *name;

	if (!copy || copy->hash == now)
		return copy;
	content_stamp(c, h);
	name = harvest_raw_name(&c->file, rank);
	if (!name || write_raw(dir, name, c)) {
		free(name);
		return false;
	}
	copy->hash = now;
	if (copy->copy && strcmp(copy->copy, name) != 0)
		unlinkat(dir, copy->copy, 0); /* the rank was not known then */
	free(copy->copy);
	copy->copy = name;
	return true;
}

size_t harvest_checkpoint(struct harvest *h)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files), missing = 0;

	for (size_t i = 0; i < count; i++) {
		struct content c = { .file = files[i] };

		c.error = content_read(&c, h->live_dir);
		if (c.error ? c.error != CONTENT_EMPTY : !harvest_copy(h, &c))
			missing++;
		free(c.live);
	}
	free(files);
	return missing;
}

bool harvest_is_empty(const struct harvest *h)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files);

	free(files);
	return !count;
}

void harvest_left_out(const struct harvest *h)
{
	int ranks[MOST_LEFT_OUT];
	size_t count = livedir_left_out(h->live_dir, ranks, MOST_LEFT_OUT);

	while (count)
		output_left_out(h->output, ranks[--count]);
}
