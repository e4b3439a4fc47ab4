/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test.h - unit tests: TEST(name) { CHECK(condition); CHECK(a, ==, b); }
 *
 * The linker collects the tests of all files into one section; there is no
 * list to keep.  tests/unit/main.c runs each in a process of its own, so a
 * test that crashes or hangs is one failed test, and reports in TAP.
 *
 * Ownership   The first CHECK that fails ends its test; what the test holds
 *             goes with its process.
 */
#pragma once

struct test {
	const char *file, *name;
	void (*run)(void);
};

/* Ends the running test as failed; says where and why. */
_Noreturn void test_fail(const char *file, int line, const char *what);

/* A side of a comparison: a text, a whole number or a real one. */
struct test_value {
	enum {
		TEST_TEXT,
		TEST_WHOLE,
		TEST_REAL
	} kind;
	const char *text;
	__int128 whole;
	double real;
};

struct test_value text_value(const char *text);
struct test_value whole_value(__int128 whole);
struct test_value real_value(double real);

/* The same as test_fail(), with both values, unless OP ("==", "<" …) holds. */
void test_compare(const char *file, int line, const char *what,
		  struct test_value a, const char *op, struct test_value b);

/* Ends the running test as skipped: something that it needs is not here. */
_Noreturn void test_skip(const char *reason);

#define TEST(name_)                                                            \
	static void test_##name_(void);                                        \
	static const struct test test_info_##name_ = { __FILE__, #name_,       \
						       test_##name_ };         \
	static const struct test *const test_at_##name_                        \
		__attribute__((used, section("tests"))) = &test_info_##name_;  \
	static void test_##name_(void)

/*
 * CHECK(condition), or CHECK(a, ==, b), which says both values when it fails:
 * numbers of any type, or texts, which are equal when their characters are.
 */
#define CHECK(...)                                                             \
	CHECK_OF_(__VA_ARGS__, CHECK_VALUES_, , CHECK_TRUE_)                   \
	(#__VA_ARGS__, __VA_ARGS__)

#define CHECK_OF_(a, op, b, check, ...) check

#define CHECK_TRUE_(what, condition)                                           \
	do {                                                                   \
		if (!(condition))                                              \
			test_fail(__FILE__, __LINE__, what);                   \
	} while (0)

#define CHECK_VALUES_(what, a, op, b)                                          \
	test_compare(__FILE__, __LINE__, what, TEST_VALUE_(a), #op,            \
		     TEST_VALUE_(b))

/* clang-format off */
#define TEST_VALUE_(x) _Generic((x), char *: text_value, \
	const char *: text_value, float: real_value, double: real_value, \
	default: whole_value)(x)
/* clang-format on */

#define SKIP(reason) test_skip(reason)
