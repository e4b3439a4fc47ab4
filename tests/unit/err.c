/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/err.h"
#include "tests/lib/test.h"

TEST(fail_returns_the_number_and_keeps_the_sentence)
{
	CHECK(fail_reason() != NULL);
	CHECK(fail(-ENOENT, "no such %s", "thing"), ==, -ENOENT);
	CHECK(fail_reason(), ==, "no such thing");
}

TEST(out_of_memory_says_in_which_step)
{
	CHECK(no_memory(), ==, -ENOMEM);
	CHECK(fail_reason(), ==, "out of memory");
	fail_step("reading profiles");
	no_memory();
	CHECK(fail_reason(), ==, "out of memory while reading profiles");
	/* Handed on. */
	fail(-ENOMEM, "%s", "out of memory while reading profiles");
	CHECK(fail_reason(), ==, "out of memory while reading profiles");
	fail(-ENOENT, "no such thing");
	CHECK(fail_reason(), ==, "no such thing");
}

static void *fail_elsewhere(void *unused)
{
	(void)unused;
	fail(-EIO, "the other thread's");
	return NULL;
}

TEST(each_thread_has_its_own_reason)
{
	pthread_t thread;

	fail(-EIO, "mine");
	CHECK(!pthread_create(&thread, NULL, fail_elsewhere, NULL));
	pthread_join(thread, NULL);
	CHECK(fail_reason(), ==, "mine");
}
