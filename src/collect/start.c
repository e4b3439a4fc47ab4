/* SPDX-License-Identifier: BSD-3-Clause */
/* start.c - starting the collector in this process. */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/golang.h"
#include "base/settings.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/enlist.h"
#include "collect/transparency/interpose.h"
#include "collect/registry.h"
#include "collect/sampling/fatal-signal.h"
#include "collect/source.h"
#include "collect/steering.h"
#include "collect/thread.h"
#include "collect/time.h"
#include "collect/unwind/loaded-object.h"

enum {
	MOST_STACK = 1 << 30
};

#define SOURCE(name) extern const struct source source_##name;
#include "collect/sources.inc"
#undef SOURCE

static const struct source *const all_sources[] = {
#define SOURCE(name) &source_##name,
#include "collect/sources.inc"
#undef SOURCE
	NULL
};

/* The C library's own note of where the main thread's stack begins. */
extern void *__libc_stack_end;

/* A child of a thread that is not measured is not either. */
static void child_forked(void)
{
	uint64_t begun = time_asked(CLOCK_PROCESS_CPUTIME_ID);

	if (thread_self()) {
		registry_forget();
		enlist_forked();
	}
	sources_tell(fork);
	thread_forked();
	enlist_started(begun);
}

static void start_main_thread(void)
{
	uintptr_t high = (uintptr_t)__libc_stack_end;
	struct rlimit limit;
	uintptr_t size = MOST_STACK;

	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < size)
		size = limit.rlim_cur;
	thread_start(high - size, high, "");
}

/*
 * Loaded by a program that has lost LD_PRELOAD on its way, by the CUDA driver
 * say, it stands behind the C library, and in front of none of its functions:
 * the program's signals would not be kept apart from ours.
 */
static bool comes_late(void)
{
	struct loaded_object ours, libc;
	const struct link_map *map;

	if (!loaded_object_find(&ours, comes_late) ||
	    !loaded_object_find(&libc, dlsym(RTLD_NEXT, "getenv")))
		return true;
	for (map = ours.map; map; map = map->l_prev)
		if (map == libc.map)
			return true;
	return false;
}

/* Valgrind takes no signal that it has not thought of, and ends the program. */
static bool is_emulated(void)
{
	const char *preload = secure_getenv("LD_PRELOAD");

	return preload && strstr(preload, "/vgpreload_");
}

/*
 * A program with more rights than its caller (AT_SECURE) obeys none of the
 * caller's variables, those of ours either: what they name is read, written and
 * even loaded.
 */
static void collect_start(void)
{
	const char *directory = secure_getenv("COPSE_LIVE");
	uint64_t begun = time_asked(CLOCK_PROCESS_CPUTIME_ID);

	loaded_object_start();
	time_init();
	interpose_init();
	if (!directory || !*directory || comes_late() ||
	    golang_wrote("/proc/self/exe"))
		return;
	if (is_emulated()) {
		enlist_unfit_self(directory, LIVE_UNFIT_VALGRIND);
		return;
	}
	settings_from_environment(&collector.settings);
	collector.settings.gpu_unified |= collector.settings.gpu_faults;
	if (!control_wants(&collector.settings)) {
		collector.left_out = directory;
		enlist_left_out(directory);
		return;
	}
	control_init(&collector.settings);
	registry_init(&collector.settings, directory);
	clock_init(&collector.settings);
	sources = all_sources;
	sources_tell(start, collect_settings());
	if (pthread_atfork(NULL, NULL, child_forked) || timer_signal_init())
		return;
	collector.active = true;
	enlist_begin(directory);
	steering_begin();
	start_main_thread();
	fatal_signals_init();
	enlist_started(begun);
}

/*
 * Constructors of the program's libraries come before ours, and what threads
 * they make is measured as well.  Before those of the C library there is no
 * environment.
 */
__attribute__((constructor)) static void collect_start_once(void)
{
	static bool begun;

	if (begun || !environ)
		return;
	begun = true;
	collect_start();
}

/* interpose.c, which all of this needs, finds it by the section. */
static void (*const before_threads)(void)
	__attribute__((used,
		       section("copse_before_threads"))) = collect_start_once;
