/* SPDX-License-Identifier: BSD-3-Clause */
/* livedir.c - folders of live profiles in shared memory. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/order.h"
#include "base/str.h"
#include "launch/livedir.h"
#include "launch/process.h"
#include "live/layout.h"

#define MAGIC_LINE "copse live 1"

static void base_path(char to[PATH_MAX])
{
	snprintf(to, PATH_MAX, "/dev/shm/copse-%u", (unsigned int)geteuid());
}

/*
 * /dev/shm is open to all: somebody else may have put something there under
 * our name.
 */
static int check_base(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return fail(-errno, "%s: %s", path, strerror(errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
	    (st.st_mode & 0077))
		return fail(-EPERM,
			    "%s is not a directory of your own with mode 0700",
			    path);
	return 0;
}

int livedir_base(char to[PATH_MAX])
{
	base_path(to);
	if (mkdir(to, 0700) && errno != EEXIST)
		return fail(-errno, "cannot create %s: %s", to,
			    strerror(errno));
	return check_base(to);
}

/* One value a line: what would end it early becomes a space. */
static void flatten(char *text)
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

int livedir_new(char to[PATH_MAX], struct live_note *note)
{
	char base[PATH_MAX];
	int err = livedir_base(base);

	if (err)
		return err;
	flatten(note->command);
	note->parent = getpid();
	note->parent_start = process_start(getpid());
	snprintf(to, PATH_MAX, "/dev/shm/copse-%u/%d-%" PRIu64,
		 (unsigned int)geteuid(), note->parent, note->parent_start);
	if (mkdir(to, 0700))
		return fail(-errno, "cannot create %s: %s", to,
			    strerror(errno));
	err = write_note(to, note);
	if (err)
		livedir_remove(to);
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
static bool read_line(FILE *from, char *to, size_t size)
{
	if (!fgets(to, (int)size, from))
		return false;
	to[strcspn(to, "\n")] = 0;
	return true;
}

static bool read_int(FILE *from, int *to)
{
	char line[32];

	if (!read_line(from, line, sizeof(line)))
		return false;
	*to = atoi(line);
	return true;
}

static bool read_note(FILE *from, struct live_note *note)
{
	char magic[32], start[32], text[2048];
	bool good;

	good = read_line(from, magic, sizeof(magic)) &&
	       !strcmp(magic, MAGIC_LINE) &&
	       read_line(from, note->key, sizeof(note->key)) &&
	       read_line(from, note->output, sizeof(note->output)) &&
	       read_int(from, &note->rank) && read_int(from, &note->size) &&
	       read_int(from, &note->parent) &&
	       read_line(from, start, sizeof(start)) &&
	       str_to_uint(start, &note->parent_start);
	good = good && read_line(from, note->command, sizeof(note->command));
	for (size_t i = 0; i < batch_count && good; i++) {
		if (!read_line(from, text, sizeof(text)))
			break;
		batch_set(&note->batch, &batch_infos[i], text, sizeof(text));
	}
	return good;
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
	return err ? fail(err, "%s holds no readable note of its job", path)
		   : 0;
}

static int compare_files(const void *a, const void *b)
{
	const struct live_file *x = a, *y = b;

	if (x->pid != y->pid)
		return ORDER(x->pid, y->pid);
	return ORDER(x->sequence, y->sequence);
}

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

		if (!read_name(&file, entry->d_name))
			continue;
		if (count == room) {
			size_t more = room ? 2 * room : 16;
			void *grown = realloc(*to, more * sizeof(file));

			if (!grown)
				break;
			*to = grown;
			room = more;
		}
		(*to)[count++] = file;
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

int livedir_each(int (*each)(const char *path, void *to), void *to)
{
	char base[PATH_MAX];
	struct dirent **names;
	int count, result = 0;

	base_path(base);
	if (access(base, F_OK))
		return 0;
	result = check_base(base);
	if (result)
		return result;
	count = scandir(base, &names, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		char *path = str_format("%s/%s", base, names[i]->d_name);

		if (path && !result && names[i]->d_name[0] != '.')
			result = each(path, to);
		free(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	return result;
}

bool livedir_in_use(const struct live_note *note)
{
	return note->parent_start &&
	       process_start(note->parent) == note->parent_start;
}
