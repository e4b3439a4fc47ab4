/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * teams-floor.c - a library to be preloaded: what anybody pays for standing in
 * front of libgomp, and for a tool of LLVM's runtime.  Functions hand on what
 * they are given, regions with a function of ours between; callbacks are empty.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "openmp/ompt.h"

#define LIST(...) __VA_ARGS__
#define NEXT(name, type, ...)                                                  \
	static type (*next_##name)(__VA_ARGS__);                               \
	static __attribute__((constructor)) void find_##name(void)             \
	{                                                                      \
		next_##name = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);   \
	}

struct member {
	void (*function)(void *);
	void *data;
};

static void do_member(void *of)
{
	struct member *m = of;

	m->function(m->data);
	__asm__ volatile(""); /* it is called, as what comes behind would be */
}

#define REGION(name, parameters, arguments)                                    \
	NEXT(name, void, void (*)(void *), void *, unsigned int,               \
	     LIST parameters)                                                  \
	void name(void (*function)(void *), void *data, unsigned int threads,  \
		  LIST parameters)                                             \
	{                                                                      \
		struct member m = { function, data };                          \
                                                                               \
		next_##name(do_member, &m, threads, LIST arguments);           \
	}
#define TASK(name, what, parameters, arguments)                                \
	NEXT(name, void, void (*)(void *), void *, void (*)(void *, void *),   \
	     long, long, LIST parameters)                                      \
	void name(void (*function)(void *), void *data,                        \
		  void (*copy)(void *, void *), long size, long align,         \
		  LIST parameters)                                             \
	{                                                                      \
		next_##name(function, data, copy, size, align,                 \
			    LIST arguments);                                   \
	}
#define WAIT(name, what, parameters, arguments)                                \
	NEXT(name, void, LIST parameters)                                      \
	void name parameters                                                   \
	{                                                                      \
		next_##name arguments;                                         \
	}
#define LOCK(name, kind, lock, parameters, arguments, try)                     \
	WAIT(name, kind, parameters, arguments)
#define CRITICAL(name, kind, lock, parameters, arguments)                      \
	WAIT(name, kind, parameters, arguments)
#define UNLOCK CRITICAL
#include "openmp/functions.def"

static void nothing(void)
{
}

static int initialize(ompt_look_up *look_up, int device, union ompt_data *tool)
{
	static const enum ompt_event events[] = {
		OMPT_PARALLEL_BEGIN, OMPT_PARALLEL_END,  OMPT_TASK_CREATE,
		OMPT_TASK_SCHEDULE,  OMPT_IMPLICIT_TASK, OMPT_SYNC_WAIT,
		OMPT_ACQUIRE,        OMPT_ACQUIRED
	};
	ompt_set_callback *set =
		(ompt_set_callback *)look_up("ompt_set_callback");

	(void)device;
	(void)tool;
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		set(events[i], nothing);
	return 1;
}

static void finalize(union ompt_data *tool)
{
	(void)tool;
}

struct ompt_tool *ompt_start_tool(unsigned int version, const char *runtime)
{
	static struct ompt_tool tool = { initialize, finalize, { 0 } };

	(void)version;
	(void)runtime;
	return &tool;
}
