/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * starter.c [HOW FILE] - executes FILE, which has an absolute path, by one of
 * the functions that do, and becomes it or ends with its exit status.  Without
 * arguments it prints their names.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for(pid_t pid)
{
	int status = 0;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : 99;
}

static int by_execve(const char *file, char **argv)
{
	return execve(file, argv, environ);
}

static int by_execv(const char *file, char **argv)
{
	return execv(file, argv);
}

static int by_execvp(const char *file, char **argv)
{
	return execvp(strrchr(file, '/') + 1, argv);
}

static int by_execvpe(const char *file, char **argv)
{
	return execvpe(strrchr(file, '/') + 1, argv, environ);
}

static int by_execl(const char *file, char **argv)
{
	return execl(file, argv[0], (char *)NULL);
}

static int by_execlp(const char *file, char **argv)
{
	return execlp(strrchr(file, '/') + 1, argv[0], (char *)NULL);
}

static int by_execle(const char *file, char **argv)
{
	return execle(file, argv[0], (char *)NULL, environ);
}

static int by_fexecve(const char *file, char **argv)
{
	return fexecve(open(file, O_RDONLY), argv, environ);
}

/* C libraries before 2.34 have none. */
__attribute__((weak)) int execveat(int directory, const char *path,
				   char *const argv[], char *const envp[],
				   int flags);

static int at(int directory, const char *path, char **argv, int flags)
{
	return execveat ? execveat(directory, path, argv, environ, flags)
			: (int)syscall(SYS_execveat, directory, path, argv,
				       environ, flags);
}

static int by_execveat(const char *file, char **argv)
{
	return at(open("/", O_PATH), file + 1, argv, 0);
}

static int by_execveat_empty(const char *file, char **argv)
{
	return at(open(file, O_PATH), "", argv, AT_EMPTY_PATH);
}

static int by_syscall(const char *file, char **argv)
{
	return (int)syscall(SYS_execve, file, argv, environ);
}

static int by_syscall_at(const char *file, char **argv)
{
	return (int)syscall(SYS_execveat, AT_FDCWD, file, argv, environ, 0);
}

static int by_vfork(const char *file, char **argv)
{
	pid_t pid = vfork();

	if (!pid) {
		execve(file, argv, environ);
		_exit(98);
	}
	return wait_for(pid);
}

static int by_posix_spawn(const char *file, char **argv)
{
	pid_t pid = -1;

	return posix_spawn(&pid, file, NULL, NULL, argv, environ)
		       ? 97
		       : wait_for(pid);
}

static int by_posix_spawnp(const char *file, char **argv)
{
	pid_t pid = -1;

	return posix_spawnp(&pid, strrchr(file, '/') + 1, NULL, NULL, argv,
			    environ)
		       ? 97
		       : wait_for(pid);
}

static const struct {
	const char *name;
	int (*start)(const char *file, char **argv);
} ways[] = {
	{ "execve", by_execve },
	{ "execv", by_execv },
	{ "execvp", by_execvp },
	{ "execvpe", by_execvpe },
	{ "execl", by_execl },
	{ "execlp", by_execlp },
	{ "execle", by_execle },
	{ "fexecve", by_fexecve },
	{ "execveat", by_execveat },
	{ "execveat-empty", by_execveat_empty },
	{ "syscall", by_syscall },
	{ "syscall-at", by_syscall_at },
	{ "vfork", by_vfork },
	{ "posix_spawn", by_posix_spawn },
	{ "posix_spawnp", by_posix_spawnp },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (argc < 3)
			puts(ways[i].name);
		else if (!strcmp(ways[i].name, argv[1]))
			return ways[i].start(argv[2], argv + 2);
	return argc < 3 ? 0 : 95;
}
