/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execs.c N - becomes itself N times, by each of the exec functions in turn,
 * with some work in between; some of them fail first.  Prints one line.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "known.h"

#define SELF "/proc/self/exe"

extern char **environ;

static void become(int n, char *name, char *word)
{
	char *argv[] = { name, word, NULL };

	switch (n % 8) {
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
	default:
		fexecve(open(SELF, O_RDONLY), argv, environ);
	}
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
	if (execl("/no/such/program", "none", (char *)NULL) != -1)
		return 1;
	known_work();
	snprintf(word, sizeof(word), "%d", n - 1);
	become(n, argv[0], word);
	return 3;
}
