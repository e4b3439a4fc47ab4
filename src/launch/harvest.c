/* SPDX-License-Identifier: BSD-3-Clause */
/* harvest.c - copy live profiles, and turn them into profile files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"

#include "base/err.h"
#include "base/str.h"
#include "base/timebase.h"
#include "launch/harvest.h"
#include "launch/livedir.h"
#include "launch/node-output.h"
#include "launch/output.h"
#include "launch/power-file.h"
#include "launch/process.h"
#include "live/layout.h"
#include "profile/profile.h"

struct harvest_copy {
	char name[64]; /* of the live file */
	char *path;    /* of its raw copy */
	uint64_t hash; /* of what was copied */
};

/* The contents of a live file, as much of it as is in use. */
struct content {
	struct live_file file;
	struct live_header *live; /* NULL: not read */
	size_t size;
	int error; /* why it was not read */
};

/* The live file was made, but its process ended before it wrote to it. */
enum {
	EMPTY = -ENODATA
};

/* One rank, but when a launcher was put behind `copse run`. */
enum {
	MOST_LEFT_OUT = 256
};

void harvest_fini(struct harvest *h)
{
	for (size_t i = 0; i < h->copy_count; i++)
		free(h->copies[i].path);
	free(h->copies);
	h->copies = NULL;
	h->copy_count = 0;
}

static int read_all(int fd, char *to, size_t size)
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

/* Bytes of the file that matter; the rest was never handed out. */
static size_t used_size(int fd)
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
 * allocate its page.  EMPTY: nothing is in it.
 */
static int content_read(struct content *c, const char *folder)
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
	c->size = used_size(fd);
	err = c->size ? 0 : EMPTY;
	if (err)
		goto out;
	c->live = malloc(c->size);
	err = c->live ? read_all(fd, (char *)c->live, c->size) : -ENOMEM;
out:
	if (err) {
		free(c->live);
		c->live = NULL;
	}
	if (fd >= 0)
		close(fd);
	if (err && err != EMPTY)
		fail(err, "cannot read %s: %s", path ? path : c->file.name,
		     strerror(-err));
	free(path);
	return err;
}

static uint64_t hash(const struct content *c)
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

/*
 * What the process could not know.  Its clock may be another than ours: what
 * it runs can have moved to another time namespace.
 */
static void stamp(const struct harvest *h, struct content *c)
{
	uint64_t ours = timebase_id();
	struct live_header *live;
	struct timebase late;

	power_file_append(h->live_dir, &c->live, &c->size);
	live = c->live;
	snprintf(live->job, sizeof(live->job), "%s", h->key);
	live->batch = *h->batch;
	if (!live->clock_id)
		live->clock_id = ours; /* it could not read /proc */
	if (live->clock_id != ours)
		return;
	timebase_now(&late);
	live->late_real_ns = late.real_ns;
	live->late_mono_ns = late.mono_ns;
}

/* Write a file under a temporary name, then give it its own. */
static int write_raw(const char *path, const struct content *c)
{
	char *temporary = str_format("%s.part", path);
	const char *data = (const char *)c->live;
	int fd = -1, err = -ENOMEM;

	if (!temporary)
		return err;
	fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	err = fd < 0 ? -errno : 0;
	for (size_t at = 0; !err && at < c->size;) {
		ssize_t n = write(fd, data + at, c->size - at);

		if (n < 0)
			err = -errno;
		else
			at += (size_t)n;
	}
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(temporary, path))
		err = -errno;
	if (err)
		unlink(temporary);
	free(temporary);
	return err;
}

static struct harvest_copy *copy_of(struct harvest *h, const char *name)
{
	struct harvest_copy *grown;

	for (size_t i = 0; i < h->copy_count; i++)
		if (!strcmp(h->copies[i].name, name))
			return &h->copies[i];
	grown = realloc(h->copies, (h->copy_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	h->copies = grown;
	grown += h->copy_count;
	*grown = (struct harvest_copy){ 0 };
	strcpy(grown->name, name);
	h->copy_count++;
	return grown;
}

static void copy_raw(struct harvest *h, struct content *c)
{
	int rank = c->live->rank >= 0 ? c->live->rank : h->rank;
	struct harvest_copy *copy = copy_of(h, c->file.name);
	uint64_t now = hash(c);
	char *path;

	if (!copy || copy->hash == now)
		return;
	stamp(h, c);
	path = str_format("%s/rank-%d-%d-%u.live", h->output, rank,
			  (int)c->file.pid, c->file.sequence);
	if (!path || write_raw(path, c)) {
		free(path);
		return;
	}
	copy->hash = now;
	if (copy->path && strcmp(copy->path, path) != 0)
		unlink(copy->path); /* the rank was not known then */
	free(copy->path);
	copy->path = path;
}

void harvest_checkpoint(struct harvest *h)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files);

	for (size_t i = 0; i < count; i++) {
		struct content c = { .file = files[i] };

		if (!content_read(&c, h->live_dir))
			copy_raw(h, &c);
		free(c.live);
	}
	free(files);
}

/* Of the program itself, not of one that it started. */
static bool is_child(const struct harvest *h, const struct content *c)
{
	return h->child ? c->file.pid == h->child
			: c->live->ppid == (uint32_t)h->parent;
}

/* The image that is the rank: MPI's first, else the program's last. */
static size_t find_main(const struct harvest *h, const struct content *all,
			size_t count)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < count; i++)
		if (all[i].live && all[i].live->rank >= 0)
			return i;
	for (size_t i = 0; i < count; i++)
		if (all[i].live && is_child(h, &all[i]))
			found = i;
	return found;
}

/* The last image of the program itself: how it ended is known. */
static bool is_last_of_child(const struct harvest *h, const struct content *all,
			     size_t count, size_t i)
{
	return h->ended && all[i].file.pid == h->child &&
	       (i + 1 == count || all[i + 1].file.pid != h->child);
}

/* The CPU time of the process that was measured: not before, not in pauses. */
static void set_end(struct profile_identity *id, const struct harvest *h,
		    const struct content *c)
{
	const struct live_pauses *pauses = &c->live->pauses;
	uint64_t skipped = c->live->start_cpu_ns;

	id->end = h->end_signal ? END_SIGNAL : END_EXIT;
	id->end_code =
		(uint32_t)(h->end_signal ? h->end_signal : h->end_status);
	id->end_mono_ns = h->end_ns;
	id->cores = h->cores;
	if (pauses->since_wall_ns && h->end_ns > pauses->since_wall_ns)
		id->paused_ns += h->end_ns - pauses->since_wall_ns;
	skipped += pauses->cpu_ns;
	if (pauses->since_cpu_ns && h->cpu_ns > pauses->since_cpu_ns)
		skipped += h->cpu_ns - pauses->since_cpu_ns;
	if (h->cpu_ns > skipped)
		id->process_cpu_ns = h->cpu_ns - skipped;
}

/*
 * A thread that waits when its process ends has no sample of that wait, nor can
 * its stack be walked any more.  Not what passes between samples anyway.
 */
static void count_unseen(struct profile *p, uint64_t paused_since_ns)
{
	uint64_t end = paused_since_ns ? paused_since_ns : p->id.end_mono_ns;
	uint64_t least = 10000000;

	if (p->id.wall == LIVE_WALL_NONE || !p->id.freq)
		return;
	least += 4 * (1000000000u / p->id.freq);
	for (size_t i = 0; i < p->thread_count; i++) {
		const struct profile_thread *t = &p->threads[i];

		if (!t->ended && t->samples && end > t->last_ns + least)
			p->losses[LOSS_WALL_UNSEEN].count +=
				(end - t->last_ns) / 1000000;
	}
}

static int set_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : fail(-ENOMEM, "out of memory");
}

static bool used_gpu(const struct profile *p)
{
	return profile_column(p, metric_infos[METRIC_GPU_TIME].name) ||
	       profile_column(p, metric_infos[METRIC_GPU_CALLS].name);
}

static bool is_worth_keeping(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].samples)
			return true;
	if (used_gpu(p))
		return true;
	/* With no clock, events are all that there is. */
	return p->id.rank >= 0 || (!p->id.freq && p->column_count);
}

/*
 * The names that this image's profile may have, the best first.  One may be
 * taken: the process ran another program before.
 */
enum {
	NAMES = 3
};

struct names {
	char *at[NAMES + 1]; /* ended by NULL */
};

static void names_fini(struct names *names)
{
	for (size_t i = 0; i < NAMES; i++)
		free(names->at[i]);
}

static int names_init(struct names *names, const struct content *c, int rank,
		      bool is_main)
{
	size_t count = 0;

	*names = (struct names){ 0 };
	if (is_main)
		names->at[count++] = str_format("rank-%d.h5", rank);
	names->at[count++] =
		str_format("rank-%d-%d.h5", rank, (int)c->file.pid);
	names->at[count++] = str_format("rank-%d-%d-%u.h5", rank,
					(int)c->file.pid, c->file.sequence);
	while (count)
		if (!names->at[--count]) {
			names_fini(names);
			return fail(-ENOMEM, "out of memory");
		}
	return 0;
}

/* A file of its own. */
static int save_file(const struct harvest *h, const struct profile *p,
		     const struct names *names)
{
	char *path = NULL;
	int err;

	for (size_t i = 0; names->at[i]; i++) {
		free(path);
		path = str_format("%s/%s", h->output, names->at[i]);
		if (!path || access(path, F_OK))
			break;
	}
	err = path ? profile_save(p, path) : fail(-ENOMEM, "out of memory");
	if (!err && h->parent != getpid())
		profile_unsave(path, h->parent);
	free(path);
	return err;
}

/* Into the host's file, by way of a file beside the live profile. */
static int save_in_node(const struct harvest *h, const struct profile *p,
			const struct names *names)
{
	const char *const *all = (const char *const *)names->at;
	char *path = str_format("%s/rank.h5", h->live_dir);
	int err = path ? profile_save(p, path) : -ENOMEM;

	if (!err)
		err = node_output_add(h->output, h->node, h->live_dir, path,
				      all);
	if (err && path)
		unlink(path);
	free(path);
	return err;
}

static int save(struct harvest *h, const struct profile *p,
		const struct content *c, int rank, bool is_main)
{
	struct names names;
	int err = names_init(&names, c, rank, is_main);

	if (err)
		return err;
	if (!h->node || save_in_node(h, p, &names))
		err = save_file(h, p, &names);
	if (!err)
		h->profiles++;
	names_fini(&names);
	return err;
}

static void unlink_raw(const struct harvest *h, const struct live_file *file,
		       int rank)
{
	char *path = str_format("%s/rank-%d-%d-%u.live", h->output, rank,
				(int)file->pid, file->sequence);

	if (path)
		unlink(path);
	free(path);
}

/*
 * The live file and its raw copies, also those that a parent made which was
 * killed, are not needed any more.
 */
static void drop(struct harvest *h, const struct content *c)
{
	char *live = str_format("%s/%s", h->live_dir, c->file.name);

	if (live)
		unlink(live);
	free(live);
	unlink_raw(h, &c->file, h->rank);
	if (c->live)
		unlink_raw(h, &c->file, c->live->rank);
}

static bool is_written(const struct harvest *h, const struct live_file *file)
{
	char *path = str_format("%s/%s", h->live_dir, file->name);
	bool written = path && process_maps(file->pid, path);

	free(path);
	return written;
}

static int convert(struct harvest *h, struct content *all, size_t count,
		   size_t i, int rank, bool is_main)
{
	struct profile *p = NULL;
	int err;

	stamp(h, &all[i]);
	err = profile_from_live(&p, all[i].live, all[i].size);
	if (err)
		return err;
	if (is_last_of_child(h, all, count, i)) {
		set_end(&p->id, h, &all[i]);
		count_unseen(p, all[i].live->pauses.since_wall_ns);
	} else if (h->ended && !is_written(h, &all[i].file)) {
		p->id.end = END_UNSEEN;
	}
	err = set_text(&p->id.version, PACKAGE_VERSION);
	if (!err && is_worth_keeping(p))
		err = save(h, p, &all[i], rank, is_main);
	profile_free(p);
	return err;
}

static int read_one(const struct harvest *h, struct content *c, bool spare)
{
	if (spare && is_written(h, &c->file))
		return fail(-EBUSY, "process %d still writes its profile",
			    (int)c->file.pid);
	return content_read(c, h->live_dir);
}

static int convert_all(struct harvest *h, struct content *all, size_t count)
{
	size_t main = find_main(h, all, count);
	int rank = main < count && all[main].live->rank >= 0
			   ? all[main].live->rank
			   : h->rank;
	char reason[512] = "";
	int first = 0;

	for (size_t i = 0; i < count; i++) {
		int err = all[i].error;

		if (all[i].live && all[i].live->rank >= 0)
			err = convert(h, all, count, i, all[i].live->rank,
				      true);
		else if (all[i].live)
			err = convert(h, all, count, i, rank, i == main);
		if (!err || err == EMPTY)
			drop(h, &all[i]);
		else if (!h->failures++) {
			first = err;
			snprintf(reason, sizeof(reason), "%s", fail_reason());
		}
	}
	return first ? fail(first, "%s", reason) : 0;
}

static void mark_left_out(const struct harvest *h)
{
	int ranks[MOST_LEFT_OUT];
	size_t count = livedir_left_out(h->live_dir, ranks, MOST_LEFT_OUT);

	while (count)
		output_left_out(h->output, ranks[--count]);
}

int harvest_finish(struct harvest *h, bool spare_running)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files);
	struct content *all = calloc(count + 1, sizeof(*all));
	int err = all ? 0 : fail(-ENOMEM, "out of memory");

	for (size_t i = 0; all && i < count; i++) {
		all[i].file = files[i];
		all[i].error = read_one(h, &all[i], spare_running);
	}
	if (all)
		err = convert_all(h, all, count);
	for (size_t i = 0; all && i < count; i++)
		free(all[i].live);
	free(all);
	free(files);
	mark_left_out(h);
	return err;
}
