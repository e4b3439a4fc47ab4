/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c - starting the collector in this process. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/golang.h"
#include "base/settings.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/gpu-idle.h"
#include "collect/gpu.h"
#include "collect/interpose.h"
#include "collect/range.h"
#include "collect/registry.h"
#include "collect/thread.h"
#include "collect/time.h"

enum {
	MOST_STACK = 1 << 30
};

/* Mutable: the state of the process's one collector. */
static struct {
	struct settings settings;
	const char *left_out; /* the live directory; NULL: it is measured */
	bool active;
} collector;

int64_t collect_pauses;

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

bool collect_nvtx_start_end(void)
{
	return collector.settings.nvtx_start_end != 0;
}

bool collect_gpu(void)
{
	return collector.settings.gpu != 0;
}

bool collect_gpu_api(void)
{
	return collector.settings.gpu_api != 0;
}

bool collect_gpu_memory(void)
{
	return collector.settings.gpu_memory != 0;
}

bool collect_gpu_faults(void)
{
	return collector.settings.gpu_faults != 0;
}

bool collect_gpu_getters(void)
{
	return collector.settings.gpu_getters != 0;
}

bool collect_gpu_nodes(void)
{
	return collector.settings.gpu_nodes != 0;
}

bool collect_gpu_sampling(uint32_t *period)
{
	*period = (uint32_t)collector.settings.gpu_sampling_period;
	return collector.settings.gpu_sampling != 0;
}

bool collect_verify(void)
{
	return collector.settings.verify != 0;
}

SIGSAFE void collect_describe(struct live_header *header)
{
	header->clock = clock_kind();
	header->wall = clock_wall();
	header->freq = clock_rate();
	counters_describe(header);
	control_describe(header);
}

const char *collect_left_out(void)
{
	return collector.left_out;
}

void collect_hold(bool held)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	int64_t pauses = collect_paused_until(now);

	__atomic_store_n(&collect_pauses, held ? pauses - (int64_t)now : pauses,
			 __ATOMIC_RELAXED);
	if (!held)
		gpu_idle_resumed(now);
	if (collector.active)
		thread_clocks_follow();
}

SIGSAFE uint64_t collect_budget(void)
{
	return collector.settings.budget;
}

/* A child of a thread that is not measured is not either. */
static void forked(void)
{
	if (thread_self())
		registry_forget();
	phase_forked();
	gpu_forked();
	range_forked();
	control_forked();
	thread_forked();
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

/*
 * Loaded by a program that has lost LD_PRELOAD on its way, by the CUDA driver
 * say, it stands behind the C library, and in front of none of its functions:
 * the program's signals would not be kept apart from ours.
 */
static bool comes_late(void)
{
	struct dl_find_object ours, libc;
	const struct link_map *map;

	if (_dl_find_object((void *)comes_late, &ours) ||
	    _dl_find_object(dlsym(RTLD_NEXT, "getenv"), &libc))
		return true;
	for (map = ours.dlfo_link_map; map; map = map->l_prev)
		if (map == libc.dlfo_link_map)
			return true;
	return false;
}

/* Valgrind takes no signal that it has not thought of, and ends the program. */
static bool is_emulated(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

__attribute__((constructor)) static void collect_start(void)
{
	const char *directory = getenv("COPSE_LIVE");

	time_init();
	interpose_init();
	if (!directory || !*directory || comes_late() ||
	    golang_wrote("/proc/self/exe") || is_emulated())
		return;
	settings_from_environment(&collector.settings);
	if (!control_wants(&collector.settings)) {
		collector.left_out = directory;
		return;
	}
	control_init(&collector.settings);
	registry_init(&collector.settings, directory);
	clock_init(&collector.settings);
	counters_init();
	if (pthread_atfork(NULL, NULL, forked) || sample_init())
		return;
	collector.active = true;
	start_main_thread();
}
