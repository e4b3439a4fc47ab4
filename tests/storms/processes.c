/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * processes.c - threads that fork, vfork and exec, and spawn, while another
 * allocates; every child's exit status is what it should be.
 */
#include <spawn.h>
#include <sys/wait.h>

#include "storm.h"

extern char **environ;

enum {
	STATUS = 7
};

static char *const say_seven[] = { (char *)"sh", (char *)"-c", (char *)"exit 7",
				   NULL };

static void expect_seven(pid_t pid, const char *how)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
	    WEXITSTATUS(status) != STATUS)
		storm_broken(how);
}

/* The child allocates, as the C library lets it. */
static void *forker(void *unused)
{
	while (storm_lasts()) {
		pid_t pid = fork();

		if (!pid) {
			free(malloc(100000));
			known_work();
			_exit(STATUS);
		}
		expect_seven(pid, "fork");
	}
	return unused;
}

static void *vforker(void *unused)
{
	while (storm_lasts()) {
		pid_t pid = vfork();

		if (!pid) {
			execve("/bin/sh", say_seven, environ);
			_exit(1);
		}
		expect_seven(pid, "vfork");
	}
	return unused;
}

static void *spawner(void *unused)
{
	while (storm_lasts()) {
		pid_t pid;

		if (posix_spawn(&pid, "/bin/sh", NULL, NULL, say_seven,
				environ))
			storm_broken("posix_spawn");
		expect_seven(pid, "posix_spawn");
	}
	return unused;
}

static void *allocator(void *unused)
{
	while (storm_lasts())
		for (size_t i = 0; i < 1000; i++)
			free(malloc(2000 + i * 20));
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { forker, forker, vforker, spawner,
					 allocator };

	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
