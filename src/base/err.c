/* SPDX-License-Identifier: BSD-3-Clause */
/* err.c - the last failure of each thread. */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"

enum {
	REASON = 512
};

/*
 * Mutable: the contract of err.h, one sentence per thread.  It is no variable
 * of the thread: the collector has this file too, and what its library takes of
 * each thread has to be little (doc/decisions/thread-storage.md).
 */
static pthread_key_t key;
static bool has_key;

static void make_key(void)
{
	has_key = !pthread_key_create(&key, free);
}

/* The thread's sentence; NULL: no memory for one. */
static char *reason_room(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *room;

	pthread_once(&once, make_key);
	room = has_key ? pthread_getspecific(key) : NULL;
	if (room || !has_key)
		return room;
	room = calloc(1, REASON);
	if (room && pthread_setspecific(key, room)) {
		free(room);
		room = NULL;
	}
	return room;
}

/* Mutable: the same, of the process.  NULL: nothing that takes much memory. */
static const char *step;

void fail_step(const char *what)
{
	__atomic_store_n(&step, what, __ATOMIC_RELAXED);
}

int fail(int err, const char *fmt, ...)
{
	char *reason = reason_room();
	va_list args;

	if (!reason)
		return err;
	va_start(args, fmt);
	vsnprintf(reason, REASON, fmt, args);
	va_end(args);
	str_one_line(reason);
	return err;
}

int no_memory(void)
{
	const char *now = __atomic_load_n(&step, __ATOMIC_RELAXED);

	return fail(-ENOMEM, "out of memory%s%s", now ? " while " : "",
		    now ? now : "");
}

const char *fail_reason(void)
{
	const char *reason = reason_room();

	if (!reason)
		return "out of memory";
	return *reason ? reason : "no reason given";
}
