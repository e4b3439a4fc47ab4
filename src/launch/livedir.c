/* SPDX-License-Identifier: BSD-3-Clause */
/* livedir.c - folders of live profiles in shared memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/comparison.h"
#include "base/proc.h"
#include "base/str.h"
#include "launch/livedir.h"
#include "launch/process.h"
#include "live/layout.h"

#define MAGIC_LINE "copse live 1"

#define SHARED "/dev/shm"

enum {
	BASE_NAME = 32,
	INHABITANTS_SHOWN = 3
};

/* Of the usual one. */
static const char *base_name(char to[BASE_NAME])
{
	snprintf(to, BASE_NAME, "copse-%u", (unsigned int)geteuid());
	return to;
}

/* One of this user's that nobody else can look into or change. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 0077);
}

/* The usual name, or that and what mkdtemp() makes of it. */
static int is_base_name(const struct dirent *entry)
{
	char name[BASE_NAME];
	size_t length = strlen(base_name(name));

	return !strncmp(entry->d_name, name, length) &&
	       (!entry->d_name[length] || entry->d_name[length] == '.');
}

/*
 * Call `each` with every folder of this user, in the order of their names,
 * until it returns something else than 0.
 */
static int bases_each(int (*each)(const char *base, void *to), void *to)
{
	struct dirent **names;
	int count = scandir(SHARED, &names, is_base_name, alphasort);
	int result = 0;

	for (int i = 0; i < count; i++) {
		char *path = str_format(SHARED "/%s", names[i]->d_name);

		if (path && !result && is_own_directory(path))
			result = each(path, to);
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return result;
}

static int copy_base(const char *base, void *to)
{
	snprintf(to, PATH_MAX, "%s", base);
	return 1;
}

/*
 * Somebody else has the usual name.  The name is one that nobody can take
 * before; of several that this user's processes make at once, it is the first.
 */
static int make_unusual_base(char to[PATH_MAX])
{
	char name[BASE_NAME];

	if (bases_each(copy_base, to))
		return 0;
	snprintf(to, PATH_MAX, SHARED "/%s.XXXXXX", base_name(name));
	if (!mkdtemp(to))
		return fail(-errno, "cannot create %s: %s", to,
			    strerror(errno));
	bases_each(copy_base, to);
	return 0;
}

int livedir_base(char to[PATH_MAX])
{
	char name[BASE_NAME];

	snprintf(to, PATH_MAX, SHARED "/%s", base_name(name));
	if (mkdir(to, 0700) && errno != EEXIST)
		return fail(-errno, "cannot create %s: %s", to,
			    strerror(errno));
	return is_own_directory(to) ? 0 : make_unusual_base(to);
}

/* One value a line: what would end it early becomes a space. */
static void flatten_text(char *text)
{
	for (; *text; text++)
		if (*text == '\n')
			*text = ' ';
}

static int write_note(const char *folder, const struct live_note *note)
{
	char *path = str_format("%s/job", folder);
	int fd = -1, err = -ENOMEM;

	if (!path)
		goto out;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		  0600);
	err = -errno;
	if (fd < 0)
		goto out;
	err = 0;
	if (dprintf(fd, MAGIC_LINE "\n%s\n%s\n%d\n%d\n%d\n%" PRIu64 "\n%s\n",
		    note->key, note->output, note->rank, note->size,
		    note->parent, note->parent_start, note->command) < 0)
		err = -errno;
	for (size_t i = 0; i < batch_count && !err; i++)
		if (dprintf(fd, "%s\n",
			    batch_text(&note->batch, &batch_infos[i])) < 0)
			err = -errno;
out:
	if (fd >= 0)
		close(fd);
	free(path);
	return err ? fail(err, "cannot write %s/job: %s", folder,
			  strerror(-err))
		   : 0;
}

/*
 * Written, not sparse: a page that cannot be had would be a SIGBUS.  Where
 * there is no room for it, all is measured but what it would count.
 */
static void make_tally(const char *folder)
{
	static const char empty[LIVE_TALLY_SIZE];
	char *path = str_format("%s/" LIVE_TALLY, folder);
	int fd =
		path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		     : -1;

	if (fd >= 0 && write(fd, empty, sizeof(empty)) != sizeof(empty))
		unlink(path);
	if (fd >= 0)
		close(fd);
	free(path);
}

static int open_tally(const char *folder)
{
	char *path = str_format("%s/" LIVE_TALLY, folder);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;

	free(path);
	return fd;
}

void livedir_tally(const char *path, struct live_tally *to)
{
	int fd = open_tally(path);

	if (fd < 0 || pread(fd, to, sizeof(*to), 0) != sizeof(*to))
		*to = (struct live_tally){ 0 };
	if (fd >= 0)
		close(fd);
}

/* Each has a shared lock. */
bool livedir_lived_in(const char *path)
{
	int fd = open_tally(path);
	bool lived =
		fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return lived;
}

struct inhabitants {
	const char *tally; /* that they have mapped */
	FILE *to;
	size_t count;
	pid_t first;
};

static void add_inhabitant(struct inhabitants *all, pid_t pid)
{
	char comm[32] = "";

	if (!process_maps(pid, all->tally))
		return;
	if (!all->count++)
		all->first = pid;
	if (all->count > INHABITANTS_SHOWN)
		return;
	proc_file(pid, "comm", comm, sizeof(comm));
	comm[strcspn(comm, "\n")] = 0;
	fprintf(all->to, "%s%d (%s)", all->count > 1 ? ", " : "", (int)pid,
		comm);
}

char *livedir_inhabitants(const char *path, pid_t *first)
{
	char *tally = str_format("%s/" LIVE_TALLY, path), *list = NULL, *text;
	DIR *processes = opendir("/proc");
	size_t size;
	struct inhabitants all = { .tally = tally,
				   .to = open_memstream(&list, &size) };
	struct dirent *entry;

	while (all.to && tally && processes && (entry = readdir(processes)))
		if (atoi(entry->d_name) > 0)
			add_inhabitant(&all, atoi(entry->d_name));
	if (all.to && all.count > INHABITANTS_SHOWN)
		fprintf(all.to, " and %zu more", all.count - INHABITANTS_SHOWN);
	if (processes)
		closedir(processes);
	free(tally);
	if (first)
		*first = all.first;
	if (!all.to || fclose(all.to))
		return NULL;
	text = str_format("%s%s",
			  !all.count      ? ""
			  : all.count > 1 ? "processes "
					  : "process ",
			  list);
	free(list);
	return text;
}

int livedir_new(char to[PATH_MAX], struct live_note *note)
{
	char base[PATH_MAX];
	int err = livedir_base(base);

	if (err)
		return err;
	flatten_text(note->command);
	note->parent = getpid();
	note->parent_start = process_start(getpid());
	if (snprintf(to, PATH_MAX, "%s/%d-%" PRIu64, base, note->parent,
		     note->parent_start) >= PATH_MAX)
		return fail(-ENAMETOOLONG, "%s: its name is too long", base);
	if (mkdir(to, 0700))
		return fail(-errno, "cannot create %s: %s", to,
			    strerror(errno));
	err = write_note(to, note);
	if (err)
		livedir_remove(to);
	else
		make_tally(to);
	return err;
}

void livedir_remove(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, ".."))
			unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

/* The next line without its end; false at the end of the file. */
static bool read_text_line(FILE *from, char *to, size_t size)
{
	if (!fgets(to, (int)size, from))
		return false;
	to[strcspn(to, "\n")] = 0;
	return true;
}

static bool read_int(FILE *from, int *to)
{
	char line[32];

	if (!read_text_line(from, line, sizeof(line)))
		return false;
	*to = atoi(line);
	return true;
}

static bool read_note(FILE *from, struct live_note *note)
{
	char magic[32], start[32], text[2048];
	bool good;

	good = read_text_line(from, magic, sizeof(magic)) &&
	       !strcmp(magic, MAGIC_LINE) &&
	       read_text_line(from, note->key, sizeof(note->key)) &&
	       read_text_line(from, note->output, sizeof(note->output)) &&
	       read_int(from, &note->rank) && read_int(from, &note->size) &&
	       read_int(from, &note->parent) &&
	       read_text_line(from, start, sizeof(start)) &&
	       str_to_uint(start, &note->parent_start);
	good = good &&
	       read_text_line(from, note->command, sizeof(note->command));
	for (size_t i = 0; i < batch_count && good; i++) {
		if (!read_text_line(from, text, sizeof(text)))
			break;
		batch_set(&note->batch, &batch_infos[i], text, sizeof(text));
	}
	return good;
}

/* That of the folder's name; none where it is no name of ours. */
static void read_parent(const char *path, struct live_note *note)
{
	if (sscanf(str_base(path), "%d-%" SCNu64, &note->parent,
		   &note->parent_start) != 2)
		note->parent_start = 0;
}

int livedir_note(const char *path, struct live_note *note)
{
	char *name = str_format("%s/job", path);
	FILE *from = name ? fopen(name, "re") : NULL;
	int err = from ? 0 : -errno;

	free(name);
	*note = (struct live_note){ 0 };
	if (from && !read_note(from, note))
		err = -EINVAL;
	if (from)
		fclose(from);
	if (err) {
		*note = (struct live_note){ 0 };
		read_parent(path, note);
	}
	return err ? fail(err, "%s holds no readable note of its job", path)
		   : 0;
}

ORDER_BY(compare_files, struct live_file, ASC(pid) ?: ASC(sequence))

static bool read_name(struct live_file *file, const char *name)
{
	char end[8] = "";
	int pid;

	if (strlen(name) >= sizeof(file->name) ||
	    sscanf(name, "%d.%u.%5s", &pid, &file->sequence, end) != 3 ||
	    strcmp(end, "live") != 0 || pid <= 0)
		return false;
	file->pid = pid;
	strcpy(file->name, name);
	return true;
}

size_t livedir_files(const char *path, struct live_file **to)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t count = 0, room = 0;

	*to = NULL;
	while (folder && (entry = readdir(folder))) {
		struct live_file file;

		if (read_name(&file, entry->d_name) &&
		    !array_append(to, &count, &room, sizeof(file), &file))
			break;
	}
	if (folder)
		closedir(folder);
	if (count)
		qsort(*to, count, sizeof(**to), compare_files);
	return count;
}

size_t livedir_left_out(const char *path, int *ranks, size_t most)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	size_t count = 0;

	while (folder && count < most && (entry = readdir(folder))) {
		char *end;
		long rank = strtol(entry->d_name, &end, 10);

		if (end != entry->d_name && !strcmp(end, LIVE_LEFT_OUT) &&
		    rank >= 0 && rank < INT_MAX)
			ranks[count++] = (int)rank;
	}
	if (folder)
		closedir(folder);
	return count;
}

struct live_visit {
	int (*each)(const char *path, void *to);
	void *to;
};

static int visit_base(const char *base, void *to)
{
	const struct live_visit *visit = to;
	struct dirent **names;
	int count = scandir(base, &names, NULL, alphasort), result = 0;

	for (int i = 0; i < count; i++) {
		char *path = str_format("%s/%s", base, names[i]->d_name);

		if (path && !result && names[i]->d_name[0] != '.')
			result = visit->each(path, visit->to);
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return result;
}

int livedir_each(int (*each)(const char *path, void *to), void *to)
{
	struct live_visit visit = { each, to };

	return bases_each(visit_base, &visit);
}

void livedir_renote(const char *path, const struct batch *batch)
{
	char *name = str_format("%s/job", path);
	struct live_note note;

	if (name && !livedir_note(path, &note) && !unlink(name)) {
		note.batch = *batch;
		write_note(path, &note);
	}
	free(name);
}

bool livedir_in_use(const struct live_note *note)
{
	return note->parent_start &&
	       process_start(note->parent) == note->parent_start;
}

struct live_usage livedir_usage(const char *path)
{
	struct live_usage usage = { 0 };
	DIR *folder = opendir(path);
	struct dirent *entry;
	struct stat st;

	while (folder && (entry = readdir(folder))) {
		if (!strcmp(entry->d_name, "..") ||
		    fstatat(dirfd(folder), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW))
			continue;
		usage.bytes += (uint64_t)st.st_blocks * 512;
		if (st.st_mtime > usage.changed)
			usage.changed = st.st_mtime;
	}
	if (folder)
		closedir(folder);
	return usage;
}
