/* SPDX-License-Identifier: BSD-3-Clause */
/* finish.c - turn live profiles into profile files. */
#include "launch/harvest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"

#include "base/err.h"
#include "base/regular.h"
#include "base/str.h"
#include "launch/content.h"
#include "launch/node-output.h"
#include "launch/output.h"
#include "launch/process.h"
#include "live/layout.h"
#include "profile/profile.h"

/* Of the program itself, not of one that it started. */
static bool is_of_program(const struct harvest *h, const struct content *c)
{
	return h->child ? c->file.pid == h->child
			: c->live->ppid == (uint32_t)h->parent;
}

/* The image that is the rank: MPI's first, else the program's last. */
static size_t find_main_image(const struct harvest *h,
			      const struct content *all, size_t count)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < count; i++)
		if (all[i].live && all[i].live->rank >= 0)
			return i;
	for (size_t i = 0; i < count; i++)
		if (all[i].live && is_of_program(h, &all[i]))
			found = i;
	return found;
}

static int replace_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to ? 0 : no_memory();
}

/* What needs no sample. */
static bool has_counts(const struct profile *p)
{
	static const enum metric counted[] = { METRIC_GPU_TIME,
					       METRIC_GPU_CALLS, METRIC_IO_READ,
					       METRIC_IO_WRITTEN,
					       METRIC_HEAP_SAMPLES };

	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (profile_column(p, metric_infos[counted[i]].name))
			return true;
	return false;
}

static bool is_worth_keeping(const struct profile *p)
{
	for (size_t i = 0; i < p->thread_count; i++)
		if (p->threads[i].samples)
			return true;
	if (has_counts(p))
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

struct file_names {
	char *at[NAMES + 1]; /* ended by NULL */
};

static void file_names_fini(struct file_names *names)
{
	for (size_t i = 0; i < NAMES; i++)
		free(names->at[i]);
}

static int file_names_init(struct file_names *names, const struct content *c,
			   int rank, bool is_main)
{
	size_t count = 0;

	*names = (struct file_names){ 0 };
	if (is_main)
		names->at[count++] = str_format("rank-%d.h5", rank);
	names->at[count++] =
		str_format("rank-%d-%d.h5", rank, (int)c->file.pid);
	names->at[count++] = str_format("rank-%d-%d-%u.h5", rank,
					(int)c->file.pid, c->file.sequence);
	while (count)
		if (!names->at[--count]) {
			file_names_fini(names);
			return no_memory();
		}
	return 0;
}

/* What those have left of it who were about to write it, and were killed. */
static void remove_part_files(int dir, const char *name)
{
	DIR *folder = regular_list(dir);
	size_t length = strlen(name);
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		const char *end = entry->d_name + length;

		if (!strncmp(entry->d_name, name, length) &&
		    !strncmp(end, ".part", 5) && !process_start(atoi(end + 5)))
			unlinkat(dir, entry->d_name, 0);
	}
	if (folder)
		closedir(folder);
}

/* A file of its own. */
static int save_file(const struct harvest *h, const struct profile *p,
		     const struct file_names *names)
{
	int err, dir = h->output->fd;
	size_t i = 0;
	char *path;

	while (names->at[i + 1] &&
	       !faccessat(dir, names->at[i], F_OK, AT_SYMLINK_NOFOLLOW))
		i++;
	path = str_format("%s/%s", h->output->path, names->at[i]);
	err = path ? profile_save_in(p, dir, path) : no_memory();
	if (!err && !h->child)
		remove_part_files(dir, names->at[i]);
	free(path);
	return err;
}

/* Into the host's file, by way of a file beside the live profile. */
static int save_in_node(const struct harvest *h, const struct profile *p,
			const struct file_names *names)
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

static int save_profile(struct harvest *h, const struct profile *p,
			const struct content *c, int rank, bool is_main)
{
	struct file_names names;
	int err = file_names_init(&names, c, rank, is_main);

	if (err)
		return err;
	if (!h->node || save_in_node(h, p, &names))
		err = save_file(h, p, &names);
	if (!err)
		h->profiles++;
	file_names_fini(&names);
	return err;
}

static void unlink_raw(const struct harvest *h, const struct live_file *file,
		       int rank)
{
	char *name = harvest_raw_name(file, rank);

	if (name)
		unlinkat(h->output->fd, name, 0);
	free(name);
}

/*
 * The live file and its raw copies, also those that a parent made which was
 * killed, are not needed any more.
 */
static void drop_live_file(struct harvest *h, const struct content *c)
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

/* Of our libraries behind a link that goes away (preload.c), where they are. */
static int name_own_modules(struct profile *p, const char *live_dir)
{
	char real[PATH_MAX];
	int err = 0;

	for (size_t i = 0; i < p->module_count && !err; i++) {
		char **path = &p->modules[i].path;

		if (!strncmp(*path, live_dir, strlen(live_dir)) &&
		    realpath(*path, real))
			err = replace_text(path, real);
	}
	return err;
}

static int convert_live(struct harvest *h, struct content *c, int rank,
			bool is_main)
{
	struct profile *p = NULL;
	int err;

	fail_step("turning a live profile into a file");
	content_stamp(c, h);
	err = profile_from_live(&p, c->live, c->size);
	if (err)
		return err;
	if (p->id.end == END_UNKNOWN && h->end.mono_ns)
		p->id.end = END_UNSEEN;
	if (p->id.end == END_SIGNAL && h->stuck && is_main)
		p->id.end = END_STUCK;
	if (!p->id.end_mono_ns) /* it has ended, and nobody saw when */
		p->id.end_mono_ns = profile_last_ns(p);
	err = replace_text(&p->id.version, PACKAGE_VERSION);
	if (!err)
		err = name_own_modules(p, h->live_dir);
	if (!err && is_worth_keeping(p))
		err = save_profile(h, p, c, rank, is_main);
	profile_free(p);
	return err;
}

/* Of what goes on, a copy is all that can be had. */
static void copy_running(struct harvest *h, struct content *c)
{
	if (!content_read(c, h->live_dir))
		harvest_copy(h, c);
	free(c->live);
	c->live = NULL;
}

/* Those that nobody writes to any more; how many there are. */
static size_t read_ended(struct harvest *h, const struct live_file *files,
			 size_t count, struct content *all)
{
	size_t ended = 0;

	for (size_t i = 0; i < count; i++) {
		struct content *c = &all[ended];

		c->file = files[i];
		if (is_written(h, &files[i])) {
			copy_running(h, c);
			continue;
		}
		c->error = content_read(c, h->live_dir);
		ended++;
	}
	return ended;
}

static int convert_all(struct harvest *h, struct content *all, size_t count)
{
	size_t main = find_main_image(h, all, count);
	int rank = main < count && all[main].live->rank >= 0
			   ? all[main].live->rank
			   : h->rank;
	char reason[512] = "";
	int first = 0;

	for (size_t i = 0; i < count; i++) {
		int err = all[i].error;

		if (all[i].live && all[i].live->rank >= 0)
			err = convert_live(h, &all[i], all[i].live->rank, true);
		else if (all[i].live)
			err = convert_live(h, &all[i], rank, i == main);
		if (!err || err == CONTENT_EMPTY)
			drop_live_file(h, &all[i]);
		else if (!h->failures++) {
			first = err;
			snprintf(reason, sizeof(reason), "%s", fail_reason());
		}
	}
	return first ? fail(first, "%s", reason) : 0;
}

int finish_harvest(struct harvest *h)
{
	struct live_file *files;
	size_t count = livedir_files(h->live_dir, &files);
	struct content *all = calloc(count + 1, sizeof(*all));
	int err = all ? 0 : no_memory();

	if (all) {
		count = read_ended(h, files, count, all);
		err = convert_all(h, all, count);
	}
	for (size_t i = 0; all && i < count; i++)
		free(all[i].live);
	free(all);
	free(files);
	return err;
}
