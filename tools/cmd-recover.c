/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd-recover.c - copse recover: profiles whose `copse run` was killed. */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "launch/harvest.h"
#include "launch/livedir.h"
#include "launch/output.h"
#include "tools/command.h"

/* Mutable: the command's options. */
static unsigned int clean_days;
static bool clean;

static int set_clean(void *to, const char *text)
{
	clean = true;
	return set_count(to, text);
}

static const struct option options[] = {
	{ 0, "clean", "DAYS", "remove what was left more than DAYS ago instead",
	  set_clean, &clean_days },
	{ 0 },
};

struct search {
	const char *only; /* the output directory, absolute; NULL: all */
	size_t found, running, failures;
	size_t stuck; /* of the failures, not for a process that still runs */
};

static bool is_old(const char *path)
{
	const double day = 24 * 60 * 60;
	struct stat st;

	return !stat(path, &st) &&
	       difftime(time(NULL), st.st_mtime) > clean_days * day;
}

static void remove_old(const char *path, const struct live_note *note)
{
	if (!is_old(path))
		return;
	printf("removed  rank %d of %s: %s\n", note->rank, note->output,
	       note->command);
	livedir_remove(path);
}

/* The job's directory, unless another job's has its name by now. */
static int find_output(struct output *o, const struct live_note *note)
{
	struct job job = { .rank = note->rank, .size = note->size };

	snprintf(job.key, sizeof(job.key), "%s", note->key);
	gethostname(job.host, sizeof(job.host) - 1);
	return output_find(o, note->output, &job);
}

static const char *how(int err, size_t profiles)
{
	if (!err)
		return "got";
	return profiles ? "partly" : "failed";
}

static void collect(struct search *s, const char *path,
		    const struct live_note *note)
{
	struct output output = { 0 };
	struct harvest h = { .live_dir = path,
			     .output = output.path,
			     .key = note->key,
			     .batch = &note->batch,
			     .rank = note->rank,
			     .parent = note->parent };
	int err = find_output(&output, note);

	if (!err)
		err = harvest_finish(&h, true);
	printf("%-8s rank %d of %s, %zu profile%s: %s\n", how(err, h.profiles),
	       note->rank, *output.path ? output.path : note->output,
	       h.profiles, h.profiles == 1 ? "" : "s", note->command);
	fflush(stdout);
	if (err) {
		fprintf(stderr, "copse recover: %s\n", fail_reason());
		s->failures++;
		s->stuck += err != -EBUSY;
	} else {
		livedir_remove(path);
	}
	harvest_fini(&h);
}

static int visit(const char *path, void *to)
{
	struct search *s = to;
	struct live_note note;

	if (livedir_note(path, &note)) {
		if (clean && is_old(path))
			livedir_remove(path);
		return 0; /* its parent was killed before it wrote the note */
	}
	if (s->only && strcmp(s->only, note.output) != 0)
		return 0;
	if (livedir_in_use(&note)) {
		s->running++;
		return 0;
	}
	s->found++;
	if (clean)
		remove_old(path, &note);
	else
		collect(s, path, &note);
	return 0;
}

/* Of a directory that is not there any more: it will be made again. */
static int name_below(char to[PATH_MAX], const char *dir)
{
	char above[PATH_MAX], last[PATH_MAX];
	size_t length;

	snprintf(above, sizeof(above), "%s", dir);
	snprintf(last, sizeof(last), "%s", dir);
	if (!realpath(dirname(above), to))
		return fail(-errno, "%s: %s", dir, strerror(errno));
	length = strlen(to);
	snprintf(to + length, PATH_MAX - length, "/%s", basename(last));
	return 0;
}

/* As notes of jobs have its name. */
static int absolute_name(char to[PATH_MAX], const char *dir, bool *missing)
{
	bool known = realpath(dir, to);
	struct stat st;

	*missing = !known && errno == ENOENT;
	if (*missing)
		return name_below(to, dir);
	if (!known)
		return fail(-errno, "%s: %s", dir, strerror(errno));
	if (stat(to, &st) || !S_ISDIR(st.st_mode))
		return fail(-ENOTDIR, "%s: %s", dir, strerror(ENOTDIR));
	return 0;
}

static int recover(int argc, char **argv)
{
	struct search s = { 0 };
	char only[PATH_MAX];
	bool missing = false;
	int err;

	if (argc > 1)
		return fail(-EINVAL, "one directory at most");
	if (argc) {
		err = absolute_name(only, argv[0], &missing);
		if (err)
			return err;
		s.only = only;
	}
	err = livedir_each(visit, &s);
	if (err)
		return err;
	if (missing && !s.found && !s.running)
		return fail(-ENOENT, "%s: %s", argv[0], strerror(ENOENT));
	if (!s.found)
		printf("nothing of a killed run is left on this host%s%s\n",
		       argc ? " for " : "", argc ? argv[0] : "");
	if (s.running)
		printf("%zu still running\n", s.running);
	if (s.stuck)
		fprintf(stderr,
			"copse recover: what could not be written stays, and "
			"takes memory; to remove what nobody wants any more: "
			"copse recover --clean DAYS\n");
	return s.failures ? 1 : 0;
}

const struct command command_recover = {
	.name = "recover",
	.synopsis = "[options] [DIR]",
	.help = "collect on this host the profiles of runs that were killed",
	.options = options,
	.run = recover,
};
