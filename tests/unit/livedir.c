/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "launch/livedir.h"
#include "launch/process.h"
#include "tests/lib/test.h"

TEST(a_note_comes_back)
{
	struct live_note note = { .key = "a key",
				  .output = "/some where",
				  .rank = 3,
				  .size = 8,
				  .command = "sh -c 'a\nb'",
				  .batch = { .manager = "Slurm",
					     .nodes = "node[0-3]" } };
	struct live_note back;
	char path[PATH_MAX];

	CHECK(!livedir_new(path, &note));
	CHECK(!livedir_note(path, &back));
	CHECK(back.key, ==, "a key");
	CHECK(back.rank, ==, 3);
	CHECK(back.size, ==, 8);
	CHECK(back.output, ==, "/some where");
	CHECK(back.command, ==, "sh -c 'a b'");
	CHECK(back.batch.nodes, ==, "node[0-3]");
	CHECK(!*back.batch.task);
	CHECK(back.batch.manager, ==, "Slurm");
	CHECK(back.parent, ==, getpid());
	CHECK(livedir_in_use(&back));
	back.parent_start++; /* another process of that number */
	CHECK(!livedir_in_use(&back));
	livedir_remove(path);
	CHECK(access(path, F_OK));
	CHECK(livedir_note(path, &back), <, 0);
	CHECK(!*back.output && livedir_in_use(&back)); /* by its name */
}

TEST(live_files_are_found_in_order)
{
	static const char *const names[] = { "20.0.live", "3.10.live",
					     "3.2.live",  "job",
					     "3.x.live",  "7.1.livex" };
	struct live_file *files;
	char dir[] = "/tmp/copse-unit-XXXXXX";

	CHECK(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = str_format("%s/%s", dir, names[i]);

		close(open(path, O_CREAT | O_WRONLY, 0600));
		free(path);
	}
	CHECK(livedir_files(dir, &files), ==, 3);
	CHECK(files[0].name, ==, "3.2.live");
	CHECK(files[1].name, ==, "3.10.live");
	CHECK(files[2].pid, ==, 20);
	CHECK(files[2].sequence, ==, 0);
	free(files);
	livedir_remove(dir);
}

/* Where nobody waits for orphans, killed parents stay zombies. */
TEST(a_zombie_uses_no_live_directory)
{
	struct live_note note = { 0 };
	siginfo_t info;
	pid_t pid = fork();

	if (!pid) {
		raise(SIGSTOP);
		_exit(0);
	}
	CHECK(!waitid(P_PID, (id_t)pid, &info, WSTOPPED));
	note.parent = pid;
	note.parent_start = process_start(pid);
	CHECK(livedir_in_use(&note));
	kill(pid, SIGKILL);
	CHECK(!waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT));
	CHECK(!livedir_in_use(&note));
	CHECK(waitpid(pid, NULL, 0), ==, pid);
}
