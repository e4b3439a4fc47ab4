/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-tool.c - stands in front of the functions with which a tool takes CUPTI:
 * those that replace a subscriber, its buffers and its clock, the last two
 * without a word.  Its header is the adapter's alone (cuda/): here pointers are
 * passed on.
 */
#include "collect/gpu/gpu-tool.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "collect/control.h"
#include "collect/gpu/gpu.h"
#include "collect/loaded.h"
#include "collect/transparency/dlsym.h"
#include "collect/registry.h"
#include "collect/time.h"
#include "collect/source.h"
#include "collect/unwind/loaded-object.h"
#include "base/hidden.h"

enum {
	LOOKED_UP = 16, /* by all tools together */
	/* CUPTI's results: */
	NOT_INITIALIZED = 15,
	MULTIPLE_SUBSCRIBERS = 39,
};

PUBLIC int cuptiSubscribe(void **subscriber, void *callback, void *data);
PUBLIC int cuptiSubscribe_v2(void **subscriber, void *callback, void *data,
			     void *params);
PUBLIC int cuptiActivityRegisterCallbacks(void *request, void *complete);
PUBLIC int cuptiActivityRegisterTimestampCallback(void *clock);

/* Mutable: of the process. */
static struct {
	bool (*yield)(void); /* NULL: nobody of ours has CUPTI; atomic */
	bool wanted;         /* by the program; atomic */
	const struct link_map *cupti; /* that it has */
} tool RESET_AT_FORK;

/*
 * Mutable: what was looked up in a handle.  There may be several CUPTIs: which
 * one is meant follows from whose code calls.  What is there has a front;
 * atomic.
 */
static struct looked_up {
	const struct link_map *by;
	void *found;
	void *front;
} looked_up[LOOKED_UP];
static size_t _Atomic looked_up_count;

static const struct link_map *library_of(const void *code)
{
	struct loaded_object object;

	return loaded_object_find(&object, code) ? object.map : NULL;
}

PUBLIC void copse_gpu_holds(bool (*yield)(void), const void *cupti)
{
	tool.cupti = library_of(cupti);
	__atomic_store_n(&tool.yield, yield, __ATOMIC_SEQ_CST);
}

PUBLIC bool copse_gpu_wanted(void)
{
	return __atomic_load_n(&tool.wanted, __ATOMIC_SEQ_CST);
}

PUBLIC void copse_gpu_yielded(void)
{
	struct live_header *header = registry_header();

	if (!header)
		return;
	header->gpu_times.until_paused_ns = control_paused_ns();
	__atomic_store_n(&header->gpu_times.until_ns, time_now(CLOCK_MONOTONIC),
			 __ATOMIC_RELEASE);
}

AT_FORK static void gpu_tool_forked(void)
{
	if (tool.yield || tool.cupti)
		copse_gpu_holds(NULL, NULL);
}

/*
 * False: an adapter has it and stays.  One CUPTI that was used lets no other
 * library of its kind in, even when it has been given up.
 */
static bool is_cupti_free(const void *next)
{
	bool (*yield)(void);

	__atomic_store_n(&tool.wanted, true, __ATOMIC_SEQ_CST);
	yield = __atomic_load_n(&tool.yield, __ATOMIC_SEQ_CST);
	if (!yield)
		return true;
	if (library_of(next) == tool.cupti)
		return yield();
	copse_gpu_lost(LOSS_GPU_KEPT, 1);
	return false;
}

/* What this front leads to for the caller, if he looked it up in a handle. */
static void *looked_up_by(const void *caller, const void *front)
{
	const struct link_map *by = library_of(caller);

	for (size_t i = 0; i < LOOKED_UP; i++)
		if (__atomic_load_n(&looked_up[i].front, __ATOMIC_ACQUIRE) ==
			    front &&
		    looked_up[i].by == by)
			return looked_up[i].found;
	return NULL;
}

static bool is_cupti(const char *file)
{
	static const char begin[] = "libcupti.so";

	return !strncmp(file, begin, sizeof(begin) - 1);
}

/*
 * The one that the caller would have without us: the next that all see, or that
 * of his own libraries; else he found it in some scope that we cannot know.
 */
static void *real_function(const char *name, const void *front,
			   const void *caller)
{
	void *found = looked_up_by(caller, front);

	if (!found)
		found = dlsym(RTLD_NEXT, name);
	if (!found) {
		dlerror(); /* the program shall not see our failures */
		found = loaded_beside(caller, name);
	}
	return found ? found : copse_loaded(is_cupti, true, name);
}

/* A program that looks whether there is a CUPTI finds us, and is told. */
#define PASS_ON(function, ...)                                                 \
	do {                                                                   \
		__typeof__(&(function)) next_ =                                \
			(__typeof__(&(function)))real_function(                \
				#function, (void *)(function),                 \
				__builtin_return_address(0));                  \
                                                                               \
		if (!next_)                                                    \
			return NOT_INITIALIZED;                                \
		return is_cupti_free((void *)next_) ? next_(__VA_ARGS__)       \
						    : MULTIPLE_SUBSCRIBERS;    \
	} while (0)

PUBLIC int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
	PASS_ON(cuptiSubscribe, subscriber, callback, data);
}

PUBLIC int cuptiSubscribe_v2(void **subscriber, void *callback, void *data,
			     void *params)
{
	PASS_ON(cuptiSubscribe_v2, subscriber, callback, data, params);
}

PUBLIC int cuptiActivityRegisterCallbacks(void *request, void *complete)
{
	PASS_ON(cuptiActivityRegisterCallbacks, request, complete);
}

PUBLIC int cuptiActivityRegisterTimestampCallback(void *clock)
{
	PASS_ON(cuptiActivityRegisterTimestampCallback, clock);
}

static void *front_of(const char *name)
{
	static const struct {
		const char *name;
		void *front;
	} fronts[] = {
		{ "cuptiSubscribe", (void *)cuptiSubscribe },
		{ "cuptiSubscribe_v2", (void *)cuptiSubscribe_v2 },
		{ "cuptiActivityRegisterCallbacks",
		  (void *)cuptiActivityRegisterCallbacks },
		{ "cuptiActivityRegisterTimestampCallback",
		  (void *)cuptiActivityRegisterTimestampCallback },
	};

	for (size_t i = 0; i < sizeof(fronts) / sizeof(*fronts); i++)
		if (!strcmp(fronts[i].name, name))
			return fronts[i].front;
	return NULL;
}

static bool is_of_cupti(const void *code)
{
	const struct link_map *library = library_of(code);
	const char *slash = library ? strrchr(library->l_name, '/') : NULL;

	return slash && is_cupti(slash + 1);
}

/* False: there is no room, or the caller knows two. */
static bool keep_looked_up(void *front, void *found, const void *caller)
{
	void *before = looked_up_by(caller, front);
	size_t i;

	if (before)
		return before == found;
	i = looked_up_count < LOOKED_UP ? looked_up_count++ : LOOKED_UP;
	if (i >= LOOKED_UP)
		return false;
	looked_up[i].by = library_of(caller);
	looked_up[i].found = found;
	__atomic_store_n(&looked_up[i].front, front, __ATOMIC_RELEASE);
	return true;
}

static void *cupti_front_of_found(const char *name, void *found,
				  const void *caller)
{
	void *front = front_of(name);

	return front && found != front && is_of_cupti(found) &&
			       keep_looked_up(front, found, caller)
		       ? front
		       : NULL;
}

static void gpu_tool_start(const struct settings *settings)
{
	(void)settings;
	copse_dlsym_front(cupti_front_of_found, NULL);
}

const struct source source_gpu_tool = {
	.start = gpu_tool_start,
	.fork = gpu_tool_forked,
};
