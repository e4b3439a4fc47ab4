/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - runs the unit tests and reports in TAP.  With words: only the tests
 * whose FILE/NAME contains one of them.
 */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/test.h"

#define SKIPPED    77
#define PATIENCE_S 60

/* What TEST() put there; the linker names both ends. */
extern const struct test *const __start_tests[], *const __stop_tests[];

/* The test that runs in this process; its own process needs to know. */
static char current[128];
static int current_number;

void test_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: not true: %s\n", file, line, what);
	exit(EXIT_FAILURE);
}

void test_skip(const char *reason)
{
	printf("ok %d - %s # SKIP %s\n", current_number, current, reason);
	exit(SKIPPED);
}

/* "map/grows" for TEST(grows) in tests/unit/map.c. */
static void name_test(const struct test *test)
{
	const char *base = strrchr(test->file, '/');
	int length;

	base = base ? base + 1 : test->file;
	length = (int)strcspn(base, ".");
	snprintf(current, sizeof current, "%.*s/%s", length, base, test->name);
}

static bool is_wanted(const struct test *test, char *const words[])
{
	bool wanted = !*words;

	name_test(test);
	for (; *words; words++)
		wanted |= strstr(current, *words) != NULL;
	return wanted;
}

static int run_child(const struct test *test)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		alarm(PATIENCE_S);
		test->run();
		exit(EXIT_SUCCESS);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	return status;
}

/* True when it passed or was skipped. */
static bool run_test(const struct test *test)
{
	int status = run_child(test);

	if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED)
		return true;
	if (status && WIFSIGNALED(status))
		printf("# %s\n", strsignal(WTERMSIG(status)));
	printf("%sok %d - %s\n", status ? "not " : "", current_number, current);
	return !status;
}

int main(int argc, char **argv)
{
	const struct test *const *test;
	bool good = true;

	(void)argc;
	for (test = __start_tests; test < __stop_tests; test++) {
		if (!is_wanted(*test, argv + 1))
			continue;
		current_number++;
		good &= run_test(*test);
	}
	printf("1..%d\n", current_number);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
