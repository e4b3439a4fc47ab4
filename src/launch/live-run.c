/* SPDX-License-Identifier: BSD-3-Clause */
/* live-run.c - see live-run.h. */
#include "launch/live-run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/str.h"
#include "base/timebase.h"
#include "launch/content.h"
#include "launch/harvest.h"
#include "launch/output.h"
#include "live/layout.h"

enum {
	THREADS_MOST = 65536 /* of one process: a damaged list may be a ring */
};

/*
 * The folders.
 */

struct folder_search {
	struct live_run *run;
	size_t room;
};

static int add_folder(const char *path, void *to)
{
	struct folder_search *s = to;
	struct live_folder one = { 0 };
	int err;

	/* Another's, or one that is being removed: not ours to look at. */
	if (livedir_note(path, &one.note) || !livedir_in_use(&one.note))
		return 0;
	one.path = strdup(path);
	err = one.path && array_append(&s->run->at, &s->run->count, &s->room,
				       sizeof(one), &one)
		      ? 0
		      : no_memory();
	if (err)
		free(one.path);
	return err;
}

static bool is_of_run(const struct live_note *a, const struct live_note *b)
{
	return !strcmp(a->output, b->output) && !strcmp(a->key, b->key);
}

static bool is_wanted_run(const struct live_note *note, const char *word,
			  const char *path)
{
	return !word || !strcmp(note->batch.job, word) ||
	       (path && !strcmp(note->output, path));
}

/* The newest `copse run` that is meant; count: there is none. */
static size_t newest_folder(const struct live_run *run, const char *word)
{
	char *path = word ? realpath(word, NULL) : NULL;
	size_t best = run->count;

	for (size_t i = 0; i < run->count; i++)
		if (is_wanted_run(&run->at[i].note, word, path) &&
		    (best == run->count ||
		     run->at[i].note.parent_start >
			     run->at[best].note.parent_start))
			best = i;
	free(path);
	return best;
}

static void keep_run(struct live_run *run, const struct live_note *note)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->count; i++)
		if (is_of_run(&run->at[i].note, note))
			run->at[kept++] = run->at[i];
		else
			free(run->at[i].path);
	run->count = kept;
}

int live_run_find(struct live_run *to, const char *word)
{
	struct folder_search search = { .run = to };
	struct live_note note;
	size_t newest;
	int err;

	*to = (struct live_run){ 0 };
	err = livedir_each(add_folder, &search);
	if (err)
		goto failed;
	newest = newest_folder(to, word);
	if (newest == to->count) {
		err = fail(-ENOENT, "no run of yours%s%s goes on on this host",
			   word ? " that is " : "", word ? word : "");
		goto failed;
	}
	note = to->at[newest].note;
	keep_run(to, &note);
	return 0;
failed:
	live_run_fini(to);
	return err;
}

void live_run_fini(struct live_run *run)
{
	for (size_t i = 0; i < run->count; i++)
		free(run->at[i].path);
	free(run->at);
	*run = (struct live_run){ 0 };
}

/*
 * Progress.
 */

struct progress_list {
	struct live_progress *at;
	size_t count, room;
};

static bool read_record(int fd, live_ref ref, void *to, size_t size)
{
	return pread(fd, to, size, (off_t)ref * LIVE_UNIT) == (ssize_t)size;
}

static int add_progress_threads(struct progress_list *list, int fd,
				uint32_t pid)
{
	struct live_thread t;
	live_ref ref = 0;

	if (pread(fd, &ref, sizeof(ref),
		  offsetof(struct live_header, threads)) != sizeof(ref))
		return 0;
	for (int i = 0;
	     i < THREADS_MOST && ref && read_record(fd, ref, &t, sizeof(t));
	     i++, ref = t.next) {
		struct live_progress one = { pid, t.tid, t.call.completed };

		if (t.call.sequence &&
		    !array_append(&list->at, &list->count, &list->room,
				  sizeof(one), &one))
			return no_memory();
	}
	return 0;
}

static int add_progress_files(struct progress_list *list,
			      const struct live_folder *folder)
{
	struct live_file *files;
	size_t count = livedir_files(folder->path, &files);
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		char *path = str_format("%s/%s", folder->path, files[i].name);
		int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
			      : -1;

		if (fd >= 0 && content_used(fd))
			err = add_progress_threads(list, fd,
						   (uint32_t)files[i].pid);
		if (fd >= 0)
			close(fd);
		free(path);
	}
	free(files);
	return err;
}

void live_run_ask(const struct live_run *run)
{
	uint32_t number = (uint32_t)(timebase_clock(CLOCK_MONOTONIC) / 1000000);

	for (size_t i = 0; i < run->count; i++) {
		struct live_file *files;
		size_t count = livedir_files(run->at[i].path, &files);

		for (size_t f = 0; f < count; f++)
			harvest_write_header(
				run->at[i].path, &files[f], &number,
				sizeof(number),
				offsetof(struct live_header, gpu_lists.asked));
		free(files);
	}
}

int live_run_progress(const struct live_run *run, struct live_progress **to,
		      size_t *count)
{
	struct progress_list list = { 0 };
	int err = 0;

	for (size_t i = 0; i < run->count && !err; i++)
		err = add_progress_files(&list, &run->at[i]);
	if (err)
		free(list.at);
	*to = err ? NULL : list.at;
	*count = err ? 0 : list.count;
	return err;
}

/*
 * Copies.
 */

int live_run_copy(struct live_run *run, const char *directory)
{
	struct output to = { .fd = open(directory,
					O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	size_t failures = 0, copies = 0;

	if (to.fd < 0)
		return fail(-errno, "cannot open %s: %s", directory,
			    strerror(errno));
	for (size_t i = 0; i < run->count; i++) {
		const struct live_note *note = &run->at[i].note;
		struct harvest h = { .live_dir = run->at[i].path,
				     .output = &to,
				     .key = note->key,
				     .rank = note->rank,
				     .batch = note->batch,
				     .file = -1 };

		failures += harvest_checkpoint(&h);
		copies += h.copy_count;
		harvest_fini(&h);
	}
	close(to.fd);
	if (!copies && !failures)
		return fail(-ENODATA, "no process has computed or called MPI "
				      "until now");
	return failures ? fail(-EIO, "%zu profiles could not be copied to %s",
			       failures, directory)
			: 0;
}
