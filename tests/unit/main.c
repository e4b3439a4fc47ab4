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

#include "base/err.h"
#include "tests/lib/test.h"

#define SKIPPED    77
#define PATIENCE_S 60

/* What TEST() put there; the linker names both ends. */
extern const struct test *const __start_tests[], *const __stop_tests[];

/* The test that runs in this process; its own process needs to know. */
static char current[128];
static int current_number;

/* What fail_reason() says before anything has failed. */
static const char *no_reason;

/* A function that failed said why, and most tests fail by that. */
_Noreturn static void end_failed(void)
{
	if (fail_reason() != no_reason)
		printf("# the last reason of an error: %s\n", fail_reason());
	exit(EXIT_FAILURE);
}

void test_fail(const char *file, int line, const char *what)
{
	printf("# %s:%d: not true: %s\n", file, line, what);
	end_failed();
}

struct test_value text_value(const char *text)
{
	return (struct test_value){ TEST_TEXT, .text = text };
}

struct test_value whole_value(__int128 whole)
{
	return (struct test_value){ TEST_WHOLE, .whole = whole };
}

struct test_value real_value(double real)
{
	return (struct test_value){ TEST_REAL, .real = real };
}

static double as_real(const struct test_value *v)
{
	return v->kind == TEST_REAL ? v->real : (double)v->whole;
}

/* No value is less than, equal to or more than one that is not a number. */
#define ORDER(a, b) ((a) < (b) ? '<' : (a) > (b) ? '>' : (a) == (b) ? '=' : '?')

static char order_of(const struct test_value *a, const struct test_value *b)
{
	if (a->kind == TEST_TEXT && a->text && b->text)
		return ORDER(strcmp(a->text, b->text), 0);
	if (a->kind == TEST_TEXT)
		return a->text == b->text ? '=' : '?';
	if (a->kind == TEST_WHOLE && b->kind == TEST_WHOLE)
		return ORDER(a->whole, b->whole);
	return ORDER(as_real(a), as_real(b));
}

static void print_value(const struct test_value *v)
{
	if (v->kind == TEST_TEXT && !v->text)
		printf("NULL");
	else if (v->kind == TEST_TEXT)
		printf("\"%s\"", v->text);
	else if (v->kind == TEST_REAL)
		printf("%.15g", v->real);
	else if (v->whole < 0)
		printf("%lld", (long long)v->whole);
	else
		printf("%llu", (unsigned long long)v->whole);
}

/* "a == b" for what the macro has as "a, ==, b". */
static void print_comparison(const char *what, const char *op)
{
	char between[8];
	const char *at;

	snprintf(between, sizeof between, ", %s, ", op);
	at = strstr(what, between);
	if (at)
		printf("%.*s %s %s", (int)(at - what), what, op,
		       at + strlen(between));
}

void test_compare(const char *file, int line, const char *what,
		  struct test_value a, const char *op, struct test_value b)
{
	char order = order_of(&a, &b);
	bool holds = *op == '!' ? order != '=' : strchr(op, order) != NULL;

	if (holds)
		return;
	printf("# %s:%d: not true: ", file, line);
	print_comparison(what, op);
	printf("; the values are ");
	print_value(&a);
	printf(" and ");
	print_value(&b);
	putchar('\n');
	end_failed();
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
	no_reason = fail_reason();
	for (test = __start_tests; test < __stop_tests; test++) {
		if (!is_wanted(*test, argv + 1))
			continue;
		current_number++;
		good &= run_test(*test);
	}
	printf("1..%d\n", current_number);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
