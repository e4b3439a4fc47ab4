/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execs.c N - becomes itself N times, by each of the exec functions and calls
 * in turn, with some work in between; some of them fail first, and now and
 * then other programs are started.  Prints one line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "known.h"

#define SELF "/proc/self/exe"

extern char **environ;

static void become(int n, char *name, char *word)
{
	char *argv[] = { name, word, NULL };

	switch (n % 10) {
	case 0:
		execve(SELF, argv, environ);
		break;
	case 1:
		execv(SELF, argv);
		break;
	case 2:
		execvp(SELF, argv);
		break;
	case 3:
		execvpe(SELF, argv, environ);
		break;
	case 4:
		execl(SELF, name, word, (char *)NULL);
		break;
	case 5:
		execlp(SELF, name, word, (char *)NULL);
		break;
	case 6:
		execle(SELF, name, word, (char *)NULL, environ);
		break;
	case 7:
		syscall(SYS_execve, SELF, argv, environ);
		break;
	case 8:
		syscall(SYS_execveat, AT_FDCWD, SELF, argv, environ, 0);
		break;
	default:
		fexecve(open(SELF, O_RDONLY), argv, environ);
	}
}

/* With a vfork() inside the C library, which then calls its own execve(). */
static int others_run(void)
{
	char *argv[] = { (char *)"true", NULL };
	FILE *pipe = popen("exit 5", "r");
	int status = -1;
	pid_t pid;

	if (system("exit 3") != 3 << 8 || !pipe || pclose(pipe) != 5 << 8 ||
	    posix_spawnp(&pid, "true", NULL, NULL, argv, environ))
		return 0;
	return waitpid(pid, &status, 0) == pid && !status;
}

static int fails(void)
{
	char *argv[] = { NULL };

	return execl("/no/such/program", "none", (char *)NULL) == -1 &&
	       syscall(SYS_execve, "/no/such/program", argv, environ) == -1 &&
	       errno == ENOENT;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;
	char word[16];

	if (n <= 0) {
		puts("through");
		return 0;
	}
	for (int i = 0; i < 10; i++)
		known_work();
	if (!fails() || (n % 50 == 0 && !others_run()))
		return 1;
	known_work();
	snprintf(word, sizeof(word), "%d", n - 1);
	become(n, argv[0], word);
	return 3;
}
