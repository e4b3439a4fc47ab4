/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-tool.c - stands in front of the functions with which a tool takes CUPTI:
 * those that replace a subscriber, its buffers and its clock, the last two
 * without a word.  Its header is the adapter's alone (cuda/): here pointers are
 * passed on.
 *
 * Known: calls of what was looked up in a library's handle come past us.
 */
#include "collect/gpu-tool.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "collect/control.h"
#include "collect/loaded.h"
#include "collect/registry.h"
#include "collect/time.h"

#define PUBLIC __attribute__((visibility("default")))

/* CUPTI's results. */
enum {
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
} tool;

PUBLIC void copse_gpu_holds(bool (*yield)(void))
{
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

void gpu_tool_forked(void)
{
	copse_gpu_holds(NULL);
}

/* False: an adapter has it and stays. */
static bool is_free(void)
{
	bool (*yield)(void);

	__atomic_store_n(&tool.wanted, true, __ATOMIC_SEQ_CST);
	yield = __atomic_load_n(&tool.yield, __ATOMIC_SEQ_CST);
	return !yield || yield();
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
static void *real(const char *name, const void *caller)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found) {
		dlerror(); /* the program shall not see our failures */
		found = loaded_beside(caller, name);
	}
	return found ? found : copse_loaded(is_cupti, true, name);
}

/* A program that looks whether there is a CUPTI finds us, and is told. */
#define PASS_ON(function, ...)                                                 \
	do {                                                                   \
		__typeof__(&(function)) next_ = (__typeof__(&(function)))real( \
			#function, __builtin_return_address(0));               \
                                                                               \
		if (!next_)                                                    \
			return NOT_INITIALIZED;                                \
		return is_free() ? next_(__VA_ARGS__) : MULTIPLE_SUBSCRIBERS;  \
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
