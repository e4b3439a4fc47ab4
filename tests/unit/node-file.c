/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/store/node-file.h"
#include "tests/lib/test.h"

enum {
	BYTES = 200000,
	WRITERS = 6
};

static char scratch_path[] = "/tmp/copse-unit-XXXXXX";

static bool scratch(void)
{
	return mkdtemp(scratch_path) && !chdir(scratch_path);
}

static bool scratch_end(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", scratch_path);
	return !system(command);
}

/* Bytes that depend on the number, of a length that does. */
static size_t made(char *to, int number)
{
	size_t size = BYTES - (size_t)number * 77;

	for (size_t i = 0; i < size; i++)
		to[i] = (char)((size_t)number * 31 + i % 251);
	return size;
}

static int add(const char *owner, int number)
{
	static char bytes[BYTES];
	char name[NODE_NAME], other[NODE_NAME];
	const char *const names[] = { name, other, NULL };

	snprintf(name, sizeof(name), "rank-%d.h5", number);
	snprintf(other, sizeof(other), "rank-%d-7.h5", number);
	return node_file_add(AT_FDCWD, "node-a.h5", owner, names, bytes,
			     made(bytes, number));
}

/* What is there is what was made under that name. */
static bool is_whole(const struct node_member *m)
{
	static char want[BYTES], got[BYTES];
	size_t size = made(want, atoi(m->name + 5));
	int fd = open("node-a.h5", O_RDONLY);
	bool good = m->piece.size == size &&
		    pread(fd, got, size, (off_t)m->piece.at) == (ssize_t)size &&
		    !memcmp(want, got, size);

	close(fd);
	return good;
}

static size_t listed(struct node_member **to)
{
	size_t count = 0;

	*to = NULL;
	CHECK(node_file_list("node-a.h5", to, &count), ==, 0);
	return count;
}

TEST(what_was_added_is_listed)
{
	struct node_member *m;

	CHECK(scratch());
	CHECK(add("us", 3), ==, -ENOENT);
	CHECK(node_file_create(AT_FDCWD, "node-a.h5", "us", "shell.h5"), ==, 0);
	CHECK(node_file_create(AT_FDCWD, "node-a.h5", "them", "shell.h5"), ==,
	      -EEXIST);
	CHECK(access("shell.h5", F_OK), !=, 0);
	CHECK(listed(&m), ==, 0);
	free(m);
	CHECK(add("us", 3), ==, 0);
	CHECK(add("us", 1), ==, 0);
	CHECK(add("them", 4), ==, -EEXIST);
	CHECK(listed(&m), ==, 2);
	CHECK(m[0].name, ==, "rank-3.h5");
	CHECK(is_whole(&m[0]));
	CHECK(m[1].name, ==, "rank-1.h5");
	CHECK(is_whole(&m[1]));
	free(m);
	CHECK(scratch_end());
}

TEST(a_name_that_is_taken_is_not_taken_again)
{
	struct node_member *m;

	CHECK(scratch());
	CHECK(node_file_create(AT_FDCWD, "node-a.h5", "us", "shell.h5"), ==, 0);
	CHECK(add("us", 3), ==, 0);
	CHECK(add("us", 3), ==, 0);
	CHECK(add("us", 3), ==, -EEXIST);
	CHECK(listed(&m), ==, 2);
	CHECK(m[1].name, ==, "rank-3-7.h5");
	free(m);
	CHECK(scratch_end());
}

TEST(an_end_that_is_cut_off_is_told_and_written_over)
{
	struct node_member *m;
	struct stat st;

	CHECK(scratch());
	CHECK(node_file_create(AT_FDCWD, "node-a.h5", "us", "shell.h5"), ==, 0);
	CHECK(add("us", 0), ==, 0);
	CHECK(add("us", 1), ==, 0);
	CHECK(stat("node-a.h5", &st), ==, 0);
	CHECK(truncate("node-a.h5", st.st_size - 100), ==, 0);
	CHECK(listed(&m), ==, 2);
	CHECK(is_whole(&m[0]) && !*m[1].name && m[1].piece.size);
	CHECK(m[1].piece.at + m[1].piece.size, ==, (uint64_t)st.st_size - 100);
	free(m);
	CHECK(add("us", 2), ==, 0);
	CHECK(listed(&m), ==, 2);
	CHECK(is_whole(&m[0]) && is_whole(&m[1]));
	free(m);
	CHECK(scratch_end());
}

TEST(what_is_no_such_file_is_refused)
{
	struct node_member *m = NULL;
	size_t count = 0;
	FILE *f;

	CHECK(scratch());
	f = fopen("node-a.h5", "w");
	CHECK(f);
	for (int i = 0; i < 5000; i++)
		fputc('x', f);
	fclose(f);
	CHECK(node_file_list("node-a.h5", &m, &count), ==, -EINVAL);
	CHECK(add("us", 1), ==, -EINVAL);
	CHECK(truncate("node-a.h5", 0), ==, 0);
	CHECK(node_file_list("node-a.h5", &m, &count), ==, -EINVAL);
	CHECK(node_file_list("nowhere.h5", &m, &count), ==, -ENOENT);
	CHECK(!m && !count);
	CHECK(scratch_end());
}

/* One after the other, for ever, each under a lock. */
static void write_on(int first)
{
	for (int i = first;; i += WRITERS) {
		int lock = open(".", O_RDONLY | O_DIRECTORY);

		if (flock(lock, LOCK_EX) || add("us", i))
			_exit(1);
		close(lock);
	}
}

/* Killed at any moment, writers take nothing with them but the last record. */
TEST(writers_that_are_killed_leave_whole_records)
{
	pid_t writers[WRITERS];
	struct node_member *m;
	size_t count;

	CHECK(scratch());
	CHECK(node_file_create(AT_FDCWD, "node-a.h5", "us", "shell.h5"), ==, 0);
	for (int i = 0; i < WRITERS; i++) {
		writers[i] = fork();
		if (!writers[i])
			write_on(i);
	}
	for (int i = 0; i < WRITERS; i++) {
		usleep(30000);
		CHECK(kill(writers[i], SIGKILL), ==, 0);
		CHECK(waitpid(writers[i], NULL, 0), ==, writers[i]);
	}
	CHECK(add("us", 2001), ==, 0);
	count = listed(&m);
	CHECK(count, >, 1);
	CHECK(atoi(m[count - 1].name + 5), ==, 2001);
	for (size_t i = 0; i < count; i++)
		CHECK(is_whole(&m[i]));
	free(m);
	CHECK(scratch_end());
}
