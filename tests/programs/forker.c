/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forker.c [SECONDS] - the ways to get another process: fork, vfork,
 * posix_spawn, and exec of itself.  Each process works SECONDS (0.3) in a
 * function named for how it came to be; the parent waits for each in turn,
 * and becomes another program at last.
 */
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

extern char **environ;
static double work_s;

#define WORKER(name)                                                           \
	static KEPT void name(void)                                            \
	{                                                                      \
		truth(#name, work_for(work_s));                                \
		fflush(stdout);                                                \
	}

WORKER(in_parent)
WORKER(in_fork)
WORKER(in_vfork_exec)
WORKER(in_spawn)
WORKER(in_exec)

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

static int become(char *self, char *how)
{
	char seconds[32];
	char *args[] = { self, seconds, how, NULL };

	snprintf(seconds, sizeof seconds, "%f", work_s);
	return execv("/proc/self/exe", args);
}

static void parent(char *self)
{
	char seconds[32];
	char *args[] = { self, seconds, "spawn", NULL };
	pid_t pid;

	in_parent();
	pid = fork();
	if (!pid) {
		in_fork();
		exit(0);
	}
	wait_for(pid);
	pid = vfork();
	if (!pid) {
		become(self, "vfork");
		_exit(1);
	}
	wait_for(pid);
	snprintf(seconds, sizeof seconds, "%f", work_s);
	if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ))
		exit(1);
	wait_for(pid);
	become(self, "exec");
	exit(1);
}

int main(int argc, char **argv)
{
	work_s = seconds_wanted(argc, argv, 0.3);
	if (argc < 3)
		parent(argv[0]);
	else if (!strcmp(argv[2], "vfork"))
		in_vfork_exec();
	else if (!strcmp(argv[2], "spawn"))
		in_spawn();
	else
		in_exec();
	return 0;
}
