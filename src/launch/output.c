/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - agree on one directory for all ranks of a job. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/numbered.h"
#include "base/regular.h"
#include "launch/host-marks.h"
#include "launch/output.h"
#include "launch/process.h"

enum {
	MAX_SUFFIX = 9999,
	FORCE_PATIENCE_MS = 40000,
	FORCE_AGE = 30, /* seconds that .force is not touched: it was left */
	FORCE_STEP_MS = 10,
	MARK = 32,      /* bytes of a mark's name … */
	TEMPORARY = 128 /* … and of one that is being made */
};

enum owner {
	OURS,
	FINISHED, /* of our key, but that job is done: an older one */
	OLDER,
	FOREIGN,
	EMPTY
};

static const char *mark_name(char to[MARK], const char *what, int rank)
{
	snprintf(to, MARK, ".%s-%d", what, rank);
	return to;
}

/* Nobody else's: each process of each host has its own. */
static const char *temporary_name(char to[TEMPORARY], const struct output *o)
{
	snprintf(to, TEMPORARY, ".job.%s.%d", o->host, (int)getpid());
	return to;
}

static int write_text_file(int fd, const char *text)
{
	ssize_t n = write(fd, text, strlen(text));
	int err = n < 0 ? -errno : 0;

	if (!err && n != (ssize_t)strlen(text))
		err = -ENOSPC;
	return close(fd) && !err ? -errno : err;
}

/* A new file of that content; -EEXIST when there is one. */
static int create_output_file(const struct output *o, const char *name,
			      const char *text)
{
	int fd = openat(o->fd, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0666);

	return fd < 0 ? -errno : write_text_file(fd, text);
}

static void drop_output_file(const struct output *o, const char *name)
{
	unlinkat(o->fd, name, 0);
}

static bool is_output_there(const struct output *o, const char *name)
{
	return !faccessat(o->fd, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* Files that copse makes; everything else is somebody's property. */
static bool is_copse_file(const char *name)
{
	static const char *const prefixes[] = {
		"rank-",       "node-",      ".host-",  ".rank-",
		".done-",      ".left-out-", ".job",    ".force",
		".finished",   "run.h5",     ".run.h5", "report.html",
		".report.html"
	};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* How many entries `want` is true for. */
static size_t count_entries(const struct output *o,
			    bool (*want)(const char *name))
{
	DIR *folder = regular_list(o->fd);
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

/*
 * What says that a directory is another's, so that the next name may suit.  All
 * else (no more open files, a broken disk) would be so of each name.
 */
static bool is_foreign(int err)
{
	switch (-err) {
	case EACCES:
	case EPERM:
	case ENOTDIR:
	case EISDIR:
	case EINVAL:
	case ELOOP:
	case ENOENT:
		return true;
	}
	return false;
}

/* FOREIGN, or -errno with a reason. */
static int cannot_use(const struct output *o, int err)
{
	return is_foreign(err) ? FOREIGN
			       : fail(err, "cannot use %s: %s", o->path,
				      strerror(-err));
}

/*
 * OURS or FOREIGN: another user who made the directory could exchange what is
 * in it.  Where the file system gives all files one owner (NFS for root, CIFS),
 * nobody can tell.
 */
static int user_of(const struct output *o)
{
	char name[TEMPORARY];
	struct stat dir, file;
	bool same;
	int fd;

	if (fstat(o->fd, &dir))
		return cannot_use(o, -errno);
	if (dir.st_uid == geteuid())
		return OURS;
	fd = regular_create(o->fd, temporary_name(name, o));
	if (fd < 0)
		return fd == -EROFS ? FOREIGN : cannot_use(o, fd);
	same = !fstat(fd, &file) && file.st_uid == dir.st_uid;
	close(fd);
	drop_output_file(o, name);
	return same ? OURS : FOREIGN;
}

/* -errno: a reason. */
static int owner_of(const struct output *o, const char *key)
{
	/* Counted first: another rank may put .job there, then its own. */
	bool content = count_entries(o, is_content) > 0;
	int fd = regular_open(o->fd, ".job", O_RDONLY | O_NOFOLLOW);
	char text[256];
	ssize_t n;

	if (fd < 0)
		return fd == -ENOENT && !content ? EMPTY : cannot_use(o, fd);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		return cannot_use(o, -errno);
	text[n] = 0;
	text[strcspn(text, "\n")] = 0; /* the batch job's number */
	if (strcmp(text, key) != 0)
		return OLDER;
	return is_output_there(o, ".finished") ? FINISHED : OURS;
}

static int cannot_write(const struct output *o, int err)
{
	return fail(err, "cannot write to %s: %s", o->path, strerror(-err));
}

/*
 * Put our key into the directory: by link(), which leaves an older one alone,
 * or by rename(), which replaces it.  Either way it is never seen in part.
 */
static int put_key(struct output *o, const struct job *job, bool replace)
{
	char name[TEMPORARY];
	char text[sizeof(job->key) + sizeof(job->batch.job) + 2];
	int fd = regular_create(o->fd, temporary_name(name, o));
	int err;

	snprintf(text, sizeof(text), "%s\n%s\n", job->key, job->batch.job);
	err = fd < 0 ? fd : write_text_file(fd, text);
	if (!err && (replace ? renameat(o->fd, name, o->fd, ".job")
			     : linkat(o->fd, name, o->fd, ".job", 0)))
		err = -errno;
	drop_output_file(o, name);
	o->first = !err;
	return err && err != -EEXIST ? cannot_write(o, err) : 0;
}

/* All but what says whose it is: that changes last, and at once. */
static void clear_output(const struct output *o, int force)
{
	DIR *folder = regular_list(o->fd);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (is_copse_file(entry->d_name) &&
		    strncmp(entry->d_name, ".job", 4) != 0 &&
		    strcmp(entry->d_name, ".force") != 0 &&
		    strcmp(entry->d_name, ".finished") != 0) {
			drop_output_file(o, entry->d_name);
			futimens(force, NULL); /* for FORCE_AGE */
		}
	if (folder)
		closedir(folder);
}

/* A new one with our lock, or -EEXIST; *now: what its file system calls now. */
static int make_force(const struct output *o, time_t *now)
{
	char name[TEMPORARY];
	int fd = regular_create(o->fd, temporary_name(name, o)), err = 0;
	struct stat st;

	if (fd < 0)
		return fd;
	fchmod(fd, 0600); /* whoever could open it could lock it */
	flock(fd, LOCK_EX | LOCK_NB);
	if (write(fd, o->host, strlen(o->host)) < 0 || fstat(fd, &st))
		err = -errno;
	else if (linkat(o->fd, name, o->fd, ".force", 0))
		err = -errno;
	*now = err && err != -EEXIST ? 0 : st.st_mtim.tv_sec;
	drop_output_file(o, name);
	if (err)
		close(fd);
	return err ? err : fd;
}

/*
 * Its process is gone.  The lock tells it on this host.  On some file systems
 * locks do not reach other hosts: there it is old.
 */
static bool is_force_left(const struct output *o, int fd, time_t now)
{
	bool locked = !flock(fd, LOCK_EX | LOCK_NB);
	bool held = !locked && errno == EWOULDBLOCK, ours;
	char host[sizeof(o->host)] = "";
	struct stat st, there;

	if (held || fstat(fd, &st) ||
	    fstatat(o->fd, ".force", &there, AT_SYMLINK_NOFOLLOW) ||
	    st.st_dev != there.st_dev || st.st_ino != there.st_ino)
		return false;
	if (pread(fd, host, sizeof(host) - 1, 0) < 0)
		return false;
	ours = !*host || !strcmp(host, o->host);
	return (locked && ours) || now - st.st_mtim.tv_sec > FORCE_AGE;
}

/* What a killed run left, as ours; -EEXIST when it is still held, or gone. */
static int take_left_force(const struct output *o, time_t now)
{
	int fd = regular_open(o->fd, ".force", O_RDWR | O_NOFOLLOW);

	if (fd < 0)
		return fd == -ENOENT ? -EEXIST : fd;
	if (is_force_left(o, fd, now) && !ftruncate(fd, 0) &&
	    pwrite(fd, o->host, strlen(o->host), 0) > 0)
		return fd;
	close(fd);
	return -EEXIST;
}

static int take_force(const struct output *o)
{
	time_t now;
	int fd = make_force(o, &now);

	return fd == -EEXIST ? take_left_force(o, now) : fd;
}

static const char *why_no_force(int err)
{
	if (err == -EEXIST)
		return "another job is at it (else remove its file .force)";
	return err == -EINVAL || err == -EISDIR
		       ? "its .force is no regular file"
		       : strerror(-err);
}

/*
 * Replace an older job.  Whoever has `.force` looks again whether another rank
 * has done it meanwhile, clears, and puts the new key there last.
 */
static int replace_job(struct output *o, const struct job *job)
{
	const struct timespec step = { 0, FORCE_STEP_MS * 1000000L };
	int fd = -EEXIST, err = 0;

	for (int ms = 0; ms < FORCE_PATIENCE_MS && fd == -EEXIST;
	     ms += FORCE_STEP_MS) {
		if (owner_of(o, job->key) == OURS)
			return 0;
		fd = take_force(o);
		if (fd == -EEXIST)
			nanosleep(&step, NULL);
	}
	if (fd < 0)
		return fail(fd, "cannot replace %s: %s", o->path,
			    why_no_force(fd));
	if (owner_of(o, job->key) != OURS) {
		clear_output(o, fd);
		err = put_key(o, job, true);
		drop_output_file(o, ".finished");
	}
	drop_output_file(o, ".force");
	close(fd);
	return err;
}

/* This rank's number, once; -EEXIST when it is taken. */
static int claim_output(const struct output *o, const struct job *job)
{
	char name[MARK], text[128];
	int err;

	snprintf(text, sizeof(text), "%s %d\n", job->host, (int)getpid());
	err = o->by_host ? host_marks_begin(o->fd, o->host, o->rank)
			 : create_output_file(
				   o, mark_name(name, "rank", o->rank), text);
	if (err == -ETIMEDOUT)
		return 0; /* the mark is not worth more waiting */
	return err && err != -EEXIST ? cannot_write(o, err) : err;
}

/* Open it and say whose it is; who may not fill it, is another. */
static int enter_directory(struct output *o, const struct job *job, bool made)
{
	int owner, err;

	output_close(o);
	o->fd = open(o->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (o->fd < 0)
		return cannot_use(o, -errno);
	owner = user_of(o);
	if (owner == OURS)
		owner = owner_of(o, job->key);
	if (owner != EMPTY)
		return owner;
	err = put_key(o, job, false);
	if (err == -EACCES && !made)
		return FOREIGN;
	return err ? err : owner_of(o, job->key);
}

/* Make it if need be.  -errno: a reason, and it is gone again. */
static int look_at_directory(struct output *o, const struct job *job)
{
	bool made = !mkdir(o->path, 0777);
	int owner;

	if (!made && errno != EEXIST)
		return fail(-errno, "cannot create %s: %s", o->path,
			    strerror(errno));
	owner = enter_directory(o, job, made);
	if (owner < 0 && made)
		rmdir(o->path);
	return owner;
}

/* 0: o->path is ours; -EEXIST: it is another's; else -errno, a reason. */
static int take_output(struct output *o, const struct job *job, bool force)
{
	int owner = look_at_directory(o, job), err;

	if (owner < 0)
		return owner;
	if ((owner == OLDER || owner == FINISHED) && force) {
		err = replace_job(o, job);
		if (err)
			return err;
		owner = OURS;
	}
	return owner == OURS ? claim_output(o, job) : -EEXIST;
}

static int rejoin_output(struct output *o, const struct job *job, bool force)
{
	int owner = look_at_directory(o, job);

	(void)force;
	if (owner < 0)
		return owner;
	return owner == OURS || owner == FINISHED ? 0 : -EEXIST;
}

/* Try the name and its numbered sisters until one suits. */
static int try_numbered_names(struct output *o, const char *wanted,
			      const struct job *job, bool force,
			      int (*suits)(struct output *, const struct job *,
					   bool))
{
	int err = -EEXIST;

	for (unsigned int i = 1; i <= MAX_SUFFIX && err == -EEXIST; i++) {
		char *name = numbered_name(wanted, i);
		size_t length = name ? strlen(name) : 0;

		if (length && length < sizeof(o->path))
			memcpy(o->path, name, length + 1);
		free(name);
		if (!length || length >= sizeof(o->path))
			return fail(-ENAMETOOLONG,
				    "the output's name is too long");
		err = suits(o, job, force);
	}
	if (err == -EEXIST)
		fail(err, "%s and all its numbered names are taken", wanted);
	if (err)
		output_close(o);
	return err;
}

static int begin_output(struct output *o, const char *wanted,
			const struct job *job, bool force,
			int (*suits)(struct output *, const struct job *, bool))
{
	struct stat st;

	o->fd = -1;
	if (!stat(wanted, &st) && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return fail(-ENOTDIR,
			    "cannot create %s: that is a device, a pipe or a "
			    "socket",
			    wanted);
	snprintf(o->host, sizeof(o->host), "%s", job->host);
	o->rank = job->rank;
	o->size = job->size;
	o->first = false;
	return try_numbered_names(o, wanted, job, force, suits);
}

int output_open(struct output *o, const char *wanted, const struct job *job,
		bool force)
{
	o->by_host = false;
	return begin_output(o, wanted, job, force, take_output);
}

int output_open_by_host(struct output *o, const char *wanted,
			const struct job *job, bool force)
{
	o->by_host = true;
	return begin_output(o, wanted, job, force, take_output);
}

int output_find(struct output *o, const char *wanted, const struct job *job)
{
	o->by_host = false; /* no marks */
	return begin_output(o, wanted, job, false, rejoin_output);
}

void output_close(struct output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}

static bool is_open_at(const struct output *o, const char *path)
{
	struct stat open, there;

	return !fstat(o->fd, &open) && !stat(path, &there) &&
	       open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

void output_restore(struct output *o, const struct job *job)
{
	char link[REGULAR_NAME], path[PATH_MAX];
	ssize_t n;

	if (is_open_at(o, o->path))
		return;
	regular_name(link, o->fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = 0;
	if (is_open_at(o, path)) {
		memcpy(o->path, path, (size_t)n + 1);
		return;
	}
	snprintf(path, sizeof(path), "%s", o->path);
	try_numbered_names(o, path, job, false, rejoin_output);
}

/* Leave the mark; true when all ranks have. */
static bool mark_rank_done(const struct output *o)
{
	char name[MARK];

	if (o->by_host)
		return host_marks_done(o->fd, o->host, o->rank, o->size);
	create_output_file(o, mark_name(name, "done", o->rank), "");
	/* Ranks in a circle from here: those that end early look at few. */
	for (int i = 1; i < o->size; i++)
		if (!is_output_there(o, mark_name(name, "done",
						  (o->rank + i) % o->size)))
			return false;
	return true;
}

bool output_done(const struct output *o)
{
	return mark_rank_done(o) && !create_output_file(o, ".finished", "");
}

void output_release(const struct output *o)
{
	char name[MARK];

	if (o->by_host)
		host_marks_remove(o->fd);
	for (int i = 0; i < o->size && !o->by_host; i++) {
		drop_output_file(o, mark_name(name, "done", i));
		drop_output_file(o, mark_name(name, "rank", i));
	}
}

void output_wait(const struct output *o, uint64_t until_ns)
{
	/* To look for a host's mark is to read a directory. */
	const struct timespec step = { 0, o->by_host ? 50000000 : 5000000 };
	char name[MARK];

	mark_name(name, "rank", o->rank);
	while ((o->by_host ? host_marks_there(o->fd)
			   : is_output_there(o, name)) &&
	       process_clock() < until_ns)
		nanosleep(&step, NULL);
}

bool output_has_profile(const struct output *o)
{
	return count_entries(o, is_profile) > 0;
}

void output_left_out(const struct output *o, int rank)
{
	char name[MARK];

	create_output_file(o, mark_name(name, "left-out", rank), "");
}

void output_discard(const struct output *o)
{
	char name[MARK];

	output_release(o);
	if (output_has_profile(o))
		return;
	for (int i = 0; i < o->size; i++)
		drop_output_file(o, mark_name(name, "left-out", i));
	drop_output_file(o, ".finished");
	drop_output_file(o, ".job");
	rmdir(o->path);
}
