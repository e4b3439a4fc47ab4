/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - starting the collector in this process. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/settings.h"
#include "collect/collect.h"
#include "collect/interpose.h"
#include "collect/registry.h"
#include "collect/thread.h"

enum {
	LEAST_DEPTH = 8,
	MOST_DEPTH = 4096,
	MOST_STACK = 1 << 30
};

/* Mutable: the state of the process's one collector. */
static struct {
	struct settings settings;
	bool active;
	int paused;
} collector;

/* The C library's own note of where the main thread's stack begins. */
extern void *__libc_stack_end;

bool collect_active(void)
{
	return collector.active;
}

uint32_t collect_depth(void)
{
	return (uint32_t)collector.settings.depth;
}

SIGSAFE bool collect_internals(void)
{
	return collector.settings.internals != 0;
}

SIGSAFE void collect_describe(struct live_header *header)
{
	header->clock = clock_kind();
	header->wall = clock_samples_wall();
	header->freq = clock_rate();
	counters_describe(header);
}

/* A resume without a pause before it is nothing. */
static void change_pauses(int by)
{
	int was = __atomic_load_n(&collector.paused, __ATOMIC_RELAXED);

	while (was + by >= 0 && !__atomic_compare_exchange_n(
					&collector.paused, &was, was + by, true,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void collect_pause(int by)
{
	change_pauses(by);
	if (collector.active)
		thread_clocks_follow();
}

SIGSAFE uint64_t collect_budget(void)
{
	return collector.settings.budget;
}

SIGSAFE bool collect_paused(void)
{
	return __atomic_load_n(&collector.paused, __ATOMIC_RELAXED) > 0;
}

static void forked(void)
{
	registry_forget();
	thread_forked();
}

static void bound(struct settings *s)
{
	if (s->depth < LEAST_DEPTH)
		s->depth = LEAST_DEPTH;
	if (s->depth > MOST_DEPTH)
		s->depth = MOST_DEPTH;
	if (s->memory < 1)
		s->memory = 1;
	if (s->memory > 16384)
		s->memory = 16384;
}

static void start_main_thread(void)
{
	uintptr_t high = (uintptr_t)__libc_stack_end;
	struct rlimit limit;
	uintptr_t size = MOST_STACK;

	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size)
		size = limit.rlim_cur;
	thread_start(high - size, high);
}

__attribute__((constructor)) static void collect_start(void)
{
	const char *directory = getenv("COPSE_LIVE");

	interpose_init();
	if (!directory || !*directory)
		return;
	settings_from_environment(&collector.settings);
	bound(&collector.settings);
	registry_init(&collector.settings, directory);
	clock_init(&collector.settings);
	counters_init();
	if (pthread_atfork(NULL, NULL, forked) || sample_init())
		return;
	collector.active = true;
	start_main_thread();
}
