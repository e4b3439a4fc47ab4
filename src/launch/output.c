/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - agree on one directory for all ranks of a job. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "launch/host-marks.h"
#include "launch/output.h"
#include "launch/process.h"

enum {
	MAX_SUFFIX = 9999,
	FORCE_PATIENCE_MS = 30000,
	FORCE_STEP_MS = 10
};

enum owner {
	OURS,
	FINISHED, /* of our key, but that job is done: an older one */
	OLDER,
	FOREIGN,
	EMPTY
};

static void path_of(char to[PATH_MAX], const char *dir, const char *name)
{
	if (snprintf(to, PATH_MAX, "%s/%s", dir, name) >= PATH_MAX)
		*to = 0; /* every use of it fails with ENOENT */
}

static void mark_path(char to[PATH_MAX], const char *dir, const char *what,
		      int rank)
{
	char name[64];

	snprintf(name, sizeof(name), ".%s-%d", what, rank);
	path_of(to, dir, name);
}

static void rank_path(char to[PATH_MAX], const struct output *o,
		      const char *what, int rank)
{
	mark_path(to, o->path, what, rank);
}

/* A new file of that content; -EEXIST when there is one. */
static int create(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	close(fd);
	return n == (ssize_t)strlen(text) ? 0 : -ENOSPC;
}

/* Files that copse makes; everything else is somebody's property. */
static bool is_ours(const char *name)
{
	static const char *const prefixes[] = {
		"rank-",     "node-",      ".host-", ".rank-",
		".done-",    ".left-out-", ".job",   ".force",
		".finished", "run.h5",     ".run.h5"
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* How many entries `want` is true for. */
static size_t count_entries(const char *dir, bool (*want)(const char *name))
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	size_t count = 0;

	while (folder && (entry = readdir(folder)))
		count += want(entry->d_name);
	if (folder)
		closedir(folder);
	return count;
}

/* What makes a directory without a job somebody else's; .job is coming. */
static bool is_content(const char *name)
{
	return strcmp(name, ".") != 0 && strcmp(name, "..") &&
	       strncmp(name, ".job", 4) != 0;
}

/* Not one that is being written, or never was to its end. */
static bool is_profile(const char *name)
{
	return (!strncmp(name, "rank-", 5) || !strncmp(name, "node-", 5)) &&
	       !strstr(name, ".part");
}

static enum owner owner_of(const char *dir, const char *key)
{
	/* Counted first: another rank may put .job there, then its own. */
	bool content = count_entries(dir, is_content) > 0;
	char path[PATH_MAX], text[256];
	ssize_t n;
	int fd;

	path_of(path, dir, ".job");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return content ? FOREIGN : EMPTY;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	if (strcmp(text, key) != 0)
		return OLDER;
	path_of(path, dir, ".finished");
	return access(path, F_OK) ? OURS : FINISHED;
}

/*
 * Put our key into the directory: by link(), which leaves an older one alone,
 * or by rename(), which replaces it.  Either way it is never seen in part.
 */
static int put_key(const char *dir, const struct job *job, bool replace)
{
	char temporary[PATH_MAX], path[PATH_MAX], name[128];
	int err;

	snprintf(name, sizeof(name), ".job.%s.%d", job->host, (int)getpid());
	path_of(temporary, dir, name);
	path_of(path, dir, ".job");
	unlink(temporary);
	err = create(temporary, job->key);
	if (!err && (replace ? rename(temporary, path) : link(temporary, path)))
		err = -errno;
	unlink(temporary);
	if (err && err != -EEXIST)
		return fail(err, "cannot write to %s: %s", dir, strerror(-err));
	return 0;
}

/* All but what says whose it is: that changes last, and at once. */
static void clear(const char *dir)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_ours(entry->d_name) &&
		    strncmp(entry->d_name, ".job", 4) != 0 &&
		    strcmp(entry->d_name, ".force") != 0 &&
		    strcmp(entry->d_name, ".finished") != 0)
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
}

/*
 * Replace an older job.  Whoever creates `.force` looks again whether another
 * rank has done it meanwhile, clears, and puts the new key there last.
 */
static int replace(const char *dir, const struct job *job)
{
	const struct timespec step = { 0, FORCE_STEP_MS * 1000000L };
	char lock[PATH_MAX], finished[PATH_MAX];
	int err = -EEXIST;

	path_of(lock, dir, ".force");
	path_of(finished, dir, ".finished");
	for (int ms = 0; ms < FORCE_PATIENCE_MS && err == -EEXIST;
	     ms += FORCE_STEP_MS) {
		if (owner_of(dir, job->key) == OURS)
			return 0;
		err = create(lock, "");
		if (err == -EEXIST)
			nanosleep(&step, NULL);
	}
	if (err)
		return fail(err, "cannot replace %s: %s", dir,
			    err == -EEXIST ? "another job is at it (else "
					     "remove its file .force)"
					   : strerror(-err));
	if (owner_of(dir, job->key) != OURS) {
		clear(dir);
		err = put_key(dir, job, true);
		unlink(finished);
	}
	unlink(lock);
	return err;
}

/* This rank's number, once; -EEXIST when it is taken. */
static int claim(const struct output *o, const struct job *job)
{
	char path[PATH_MAX], text[128];
	int err;

	rank_path(path, o, "rank", o->rank);
	snprintf(text, sizeof(text), "%s %d\n", job->host, (int)getpid());
	err = o->by_host ? host_marks_begin(o->path, o->host, o->rank)
			 : create(path, text);
	if (err == -ETIMEDOUT)
		return 0; /* the mark is not worth more waiting */
	if (err && err != -EEXIST)
		return fail(err, "cannot write to %s: %s", o->path,
			    strerror(-err));
	return err;
}

/* Make the directory if need be, and say whose it is; -errno, a reason. */
static int look(const char *dir, const struct job *job)
{
	enum owner owner;
	int err;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return fail(-errno, "cannot create %s: %s", dir,
			    strerror(errno));
	owner = owner_of(dir, job->key);
	if (owner != EMPTY)
		return (int)owner;
	err = put_key(dir, job, false);
	return err ? err : (int)owner_of(dir, job->key);
}

/* 0: o->path is ours; -EEXIST: it is another's; else -errno, a reason. */
static int take(struct output *o, const struct job *job, bool force)
{
	int owner = look(o->path, job), err;

	if (owner < 0)
		return owner;
	if ((owner == OLDER || owner == FINISHED) && force) {
		err = replace(o->path, job);
		if (err)
			return err;
		owner = OURS;
	}
	return owner == OURS ? claim(o, job) : -EEXIST;
}

static int take_again(struct output *o, const struct job *job, bool force)
{
	int owner = look(o->path, job);

	(void)force;
	if (owner < 0)
		return owner;
	return owner == OURS || owner == FINISHED ? 0 : -EEXIST;
}

/* Try the name and its numbered sisters until one suits. */
static int walk(struct output *o, const char *wanted, const struct job *job,
		bool force,
		int (*suits)(struct output *, const struct job *, bool))
{
	size_t length = strlen(wanted);
	int err = -EEXIST;

	while (length > 1 && wanted[length - 1] == '/')
		length--;
	if (length >= PATH_MAX - 64)
		return fail(-ENAMETOOLONG, "the output's name is too long");
	snprintf(o->host, sizeof(o->host), "%s", job->host);
	o->rank = job->rank;
	o->size = job->size;
	for (int i = 1; i <= MAX_SUFFIX && err == -EEXIST; i++) {
		int n = snprintf(o->path, sizeof(o->path), "%.*s", (int)length,
				 wanted);

		if (i > 1)
			snprintf(o->path + n, sizeof(o->path) - (size_t)n,
				 "-%d", i);
		err = suits(o, job, force);
	}
	if (err == -EEXIST)
		return fail(err, "%s and all its numbered names are taken",
			    wanted);
	return err;
}

int output_open(struct output *o, const char *wanted, const struct job *job,
		bool force)
{
	o->by_host = false;
	return walk(o, wanted, job, force, take);
}

int output_open_by_host(struct output *o, const char *wanted,
			const struct job *job, bool force)
{
	o->by_host = true;
	return walk(o, wanted, job, force, take);
}

int output_find(struct output *o, const char *wanted, const struct job *job)
{
	o->by_host = false; /* no marks */
	return walk(o, wanted, job, false, take_again);
}

void output_restore(const struct output *o, const struct job *job)
{
	if (access(o->path, F_OK) && errno == ENOENT)
		look(o->path, job);
}

/* Leave the mark; true when all ranks have. */
static bool all_done(const struct output *o)
{
	char path[PATH_MAX];

	if (o->by_host)
		return host_marks_done(o->path, o->host, o->rank, o->size);
	rank_path(path, o, "done", o->rank);
	create(path, "");
	/* Ranks in a circle from here: those that end early look at few. */
	for (int i = 1; i < o->size; i++) {
		rank_path(path, o, "done", (o->rank + i) % o->size);
		if (access(path, F_OK))
			return false;
	}
	return true;
}

bool output_done(const struct output *o)
{
	char path[PATH_MAX];

	if (!all_done(o))
		return false;
	path_of(path, o->path, ".finished");
	return !create(path, "");
}

void output_release(const struct output *o)
{
	char path[PATH_MAX];

	if (o->by_host)
		host_marks_remove(o->path);
	for (int i = 0; i < o->size && !o->by_host; i++) {
		rank_path(path, o, "done", i);
		unlink(path);
		rank_path(path, o, "rank", i);
		unlink(path);
	}
}

void output_wait(const struct output *o, uint64_t until_ns)
{
	/* To look for a host's mark is to read a directory. */
	const struct timespec step = { 0, o->by_host ? 50000000 : 5000000 };
	char path[PATH_MAX];

	rank_path(path, o, "rank", o->rank);
	while ((o->by_host ? host_marks_there(o->path) : !access(path, F_OK)) &&
	       process_clock() < until_ns)
		nanosleep(&step, NULL);
}

bool output_has_profile(const struct output *o)
{
	return count_entries(o->path, is_profile) > 0;
}

void output_left_out(const char *dir, int rank)
{
	char path[PATH_MAX];

	mark_path(path, dir, "left-out", rank);
	create(path, "");
}

void output_discard(const struct output *o)
{
	char path[PATH_MAX];

	output_release(o);
	if (output_has_profile(o))
		return;
	for (int i = 0; i < o->size; i++) {
		rank_path(path, o, "left-out", i);
		unlink(path);
	}
	path_of(path, o->path, ".finished");
	unlink(path);
	path_of(path, o->path, ".job");
	unlink(path);
	rmdir(o->path);
}
