/* SPDX-License-Identifier: BSD-3-Clause */
/* inquiry.c - see inquiry.h. */
#include "launch/inquiry.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/regular.h"
#include "base/str.h"
#include "launch/host-marks.h"
#include "launch/process.h"

#define ASK "ask"

#define EVERY_NS  3000000000u
#define UNSURE_NS 10000000000u

enum {
	STALE_S = 60,
	STEP_MS = 50,
	MANY_HOSTS = 1000, /* they answer less often */
	MANY_DELAY = 10,   /* seconds */
	HOST = 64
};

/* What is asked for, and the command that answers: with how many seconds. */
static const struct {
	const char *folder, *ending, *command, *option;
} kinds[INQUIRY_KINDS] = {
	[INQUIRY_STUCK] = { ".stuck", "h5", "stuck", "--between" },
	[INQUIRY_TOP] = { ".top", "top", "top", "--delay" },
};

/*
 * Hosts: of .host-HOST-OWNER by its name, where OWNER has three parts; of
 * .rank-N by its text.
 */

static bool host_of_name(char to[HOST], const char *name)
{
	const char *end = name + strlen(name);

	for (int part = 0; part < 3 && end > name; part++)
		while (end > name && *--end != '-')
			;
	snprintf(to, HOST, "%.*s", (int)(end - name), name);
	return *to;
}

static bool host_of_text(char to[HOST], int dir, const char *name)
{
	int fd = regular_open(dir, name, O_RDONLY | O_NOFOLLOW);
	ssize_t size = fd < 0 ? 0 : read(fd, to, HOST - 1);

	if (fd >= 0)
		close(fd);
	to[size > 0 ? size : 0] = 0;
	to[strcspn(to, " \n")] = 0;
	return *to;
}

static bool is_rank_done(int dir, const char *rank)
{
	char name[NAME_MAX + 1];

	snprintf(name, sizeof(name), ".done-%s", rank);
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* False, too, of one whose ranks are done. */
static bool host_of_mark(char to[HOST], int dir, const char *name)
{
	if (!strncmp(name, ".host-", 6))
		return host_marks_go_on(dir, name) &&
		       host_of_name(to, name + 6);
	return !strncmp(name, ".rank-", 6) && !is_rank_done(dir, name + 6) &&
	       host_of_text(to, dir, name);
}

static int add_host(struct inquiry *q, size_t *room, const char *host)
{
	char *copy;

	for (size_t i = 0; i < q->host_count; i++)
		if (!strcmp(q->hosts[i], host))
			return 0;
	copy = strdup(host);
	if (copy &&
	    array_append(&q->hosts, &q->host_count, room, sizeof(copy), &copy))
		return 0;
	free(copy);
	return no_memory();
}

static int find_hosts(struct inquiry *q, const char *directory, bool is_here)
{
	DIR *list = opendir(directory);
	char host[HOST], own[HOST] = "";
	struct dirent *entry;
	size_t room = 0;
	int err = 0;

	if (!list)
		return fail(-errno, "%s: %s", directory, strerror(errno));
	gethostname(own, sizeof(own) - 1);
	while (!err && (entry = readdir(list)))
		if (host_of_mark(host, dirfd(list), entry->d_name) &&
		    (!is_here || strcmp(host, own) != 0))
			err = add_host(q, &room, host);
	closedir(list);
	return err;
}

bool inquiry_goes_on(const char *directory)
{
	struct inquiry q = { 0 };
	bool found = !find_hosts(&q, directory, false) && q.host_count;

	inquiry_close(&q);
	return found;
}

/*
 * The one who asks.
 */

static void remove_inquiry(const char *folder)
{
	DIR *list = opendir(folder);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(folder);
}

static bool is_stale(const char *folder)
{
	struct stat st;

	return !lstat(folder, &st) && st.st_uid == geteuid() &&
	       st.st_mtime + STALE_S < time(NULL);
}

/* `how`: O_EXCL for the first time, or O_TRUNC. */
static int write_question(const char *folder, double between, int how)
{
	char *path = str_format("%s/" ASK, folder), text[32];
	int fd = path ? open(path,
			     O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | how,
			     0600)
		      : -1;
	int length = snprintf(text, sizeof(text), "%g\n", between);
	int err = fd < 0 || write(fd, text, (size_t)length) != length
			  ? fail(-EIO, "%s cannot be written", folder)
			  : 0;

	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

static int make_inquiry(const char *folder, double between)
{
	int err;

	if (is_stale(folder))
		remove_inquiry(folder);
	if (mkdir(folder, 0700))
		return errno == EEXIST ? fail(-EBUSY,
					      "somebody else asks at this "
					      "moment (%s)",
					      folder)
				       : fail(-errno, "cannot create %s: %s",
					      folder, strerror(errno));
	err = write_question(folder, between, O_EXCL);
	if (err)
		remove_inquiry(folder);
	return err;
}

int inquiry_open(struct inquiry *q, const char *directory, bool is_here,
		 double between)
{
	char *folder;
	int err;

	*q = (struct inquiry){ .kind = INQUIRY_STUCK };
	err = find_hosts(q, directory, is_here);
	if (err || !q->host_count)
		return err;
	folder = str_format("%s/%s", directory, kinds[q->kind].folder);
	if (!folder)
		return no_memory();
	err = make_inquiry(folder, between);
	if (err)
		free(folder);
	else
		q->folder = folder;
	q->made = !err;
	return err;
}

static void forget_hosts(struct inquiry *q)
{
	for (size_t i = 0; i < q->host_count; i++)
		free(q->hosts[i]);
	free(q->hosts);
	q->hosts = NULL;
	q->host_count = 0;
}

int inquiry_keep(struct inquiry *q, const char *directory, bool is_here,
		 double delay)
{
	int err;

	forget_hosts(q);
	err = find_hosts(q, directory, is_here);
	if (err || !q->host_count)
		return err;
	q->kind = INQUIRY_TOP;
	if (!q->folder)
		q->folder =
			str_format("%s/%s", directory, kinds[q->kind].folder);
	if (!q->folder)
		return no_memory();
	if (!mkdir(q->folder, 0700))
		q->made = true;
	else if (errno != EEXIST)
		return fail(-errno, "cannot create %s: %s", q->folder,
			    strerror(errno));
	if (q->host_count > MANY_HOSTS && delay < MANY_DELAY)
		delay = MANY_DELAY;
	return write_question(q->folder, delay, O_TRUNC);
}

static bool is_fresh(const char *path, enum inquiry_kind kind)
{
	struct stat st;

	return !stat(path, &st) &&
	       (kind != INQUIRY_TOP || st.st_mtime + STALE_S > time(NULL));
}

char *inquiry_answer(const struct inquiry *q, size_t i)
{
	char *path = str_format("%s/%s.%s", q->folder, q->hosts[i],
				kinds[q->kind].ending);

	if (path && is_fresh(path, q->kind))
		return path;
	free(path);
	return NULL;
}

static bool have_all_answered(const struct inquiry *q)
{
	for (size_t i = 0; i < q->host_count; i++) {
		char *path = inquiry_answer(q, i);

		if (!path)
			return false;
		free(path);
	}
	return true;
}

bool inquiry_wait(const struct inquiry *q, double seconds)
{
	const struct timespec step = { 0, STEP_MS * 1000000L };

	for (double waited = 0; !have_all_answered(q);
	     waited += STEP_MS / 1e3) {
		if (waited >= seconds)
			return false;
		nanosleep(&step, NULL);
	}
	return true;
}

void inquiry_close(struct inquiry *q)
{
	if (q->folder && q->made)
		remove_inquiry(q->folder);
	free(q->folder);
	forget_hosts(q);
	*q = (struct inquiry){ 0 };
}

/*
 * Those who answer.
 */

char *inquiry_own_answer(const char *folder, enum inquiry_kind kind)
{
	char own[HOST] = "";

	gethostname(own, sizeof(own) - 1);
	return str_format("%s/%s.%s", folder, own, kinds[kind].ending);
}

/* The seconds that it asks for, or 0: it is not ours, or no question. */
static double read_question(const char *folder, uint64_t *asked)
{
	struct stat st;
	char *path, text[32] = "";
	int fd = -1;

	if (lstat(folder, &st) || !S_ISDIR(st.st_mode) ||
	    st.st_uid != geteuid())
		return 0;
	path = str_format("%s/" ASK, folder);
	if (path)
		fd = regular_open(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
	free(path);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) || read(fd, text, sizeof(text) - 1) <= 0)
		*text = 0;
	*asked = (uint64_t)st.st_ctim.tv_sec * 1000000000u +
		 (uint64_t)st.st_ctim.tv_nsec;
	close(fd);
	return atof(text);
}

uint64_t inquiry_asked(const char *folder)
{
	uint64_t asked = 0;

	return read_question(folder, &asked) > 0 ? asked : 0;
}

static char *taken_path(const char *folder)
{
	char own[HOST] = "";

	gethostname(own, sizeof(own) - 1);
	return str_format("%s/%s.taken", folder, own);
}

/* Where it is not known which rank is a host's first, all look. */
static bool take_question(const char *folder)
{
	char *path = taken_path(folder);
	int fd = -1;

	if (path)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(path);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void inquiry_leave(const char *folder)
{
	char *path = taken_path(folder);

	if (path)
		unlink(path);
	free(path);
	path = inquiry_own_answer(folder, INQUIRY_TOP);
	if (path)
		unlink(path);
	free(path);
}

static void answer_question(struct inquiry_watch *w, enum inquiry_kind kind)
{
	char folder[PATH_MAX], text[32];
	const char *const argv[] = { "/proc/self/exe",   kinds[kind].command,
				     kinds[kind].option, text,
				     "--answer",         folder,
				     w->directory,       NULL };
	uint64_t asked = 0;
	double seconds;
	pid_t child;

	if (snprintf(folder, sizeof(folder), "%s/%s", w->directory,
		     kinds[kind].folder) >= PATH_MAX)
		return;
	seconds = read_question(folder, &asked);
	if (!(seconds > 0) || asked == w->of[kind].answered)
		return;
	snprintf(text, sizeof(text), "%g", seconds);
	w->of[kind].answered = asked;
	if (!take_question(folder))
		return;
	child = process_spawn(argv, -1);
	if (child > 0)
		w->of[kind].child = child;
}

void inquiry_watch_init(struct inquiry_watch *w, const char *directory,
			int local_rank)
{
	*w = (struct inquiry_watch){ .directory = directory };
	if (local_rank <= 0)
		w->every_ns = local_rank ? UNSURE_NS : EVERY_NS;
}

void inquiry_look(struct inquiry_watch *w, uint64_t now)
{
	if (!w->every_ns || now < w->next_ns)
		return;
	w->next_ns = now + w->every_ns;
	for (int kind = 0; kind < INQUIRY_KINDS; kind++) {
		pid_t *child = &w->of[kind].child;

		if (*child && waitpid(*child, NULL, WNOHANG))
			*child = 0;
		if (!*child)
			answer_question(w, (enum inquiry_kind)kind);
	}
}
