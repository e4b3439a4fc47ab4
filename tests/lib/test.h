/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * test.h - unit tests: TEST(name) { CHECK(condition); }
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

/* Ends the running test as skipped: something that it needs is not here. */
_Noreturn void test_skip(const char *reason);

#define TEST(name_)                                                            \
	static void test_##name_(void);                                        \
	static const struct test test_info_##name_ = { __FILE__, #name_,       \
						       test_##name_ };         \
	static const struct test *const test_at_##name_                        \
		__attribute__((used, section("tests"))) = &test_info_##name_;  \
	static void test_##name_(void)

#define CHECK(condition)                                                       \
	do {                                                                   \
		if (!(condition))                                              \
			test_fail(__FILE__, __LINE__, #condition);             \
	} while (0)

#define SKIP(reason) test_skip(reason)
