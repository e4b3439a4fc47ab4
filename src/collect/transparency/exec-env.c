/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exec-env.c - see exec-env.h.
 *
 * A program that gets tight limits (ulimit in a script) has no room there to
 * load our libraries; one of another C library, or of an older glibc, ends
 * when its loader finds them; one for another processor, or in a root where
 * they are not, says that it cannot load them.  They are better left alone.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/preload-compat.h"
#include "base/sys.h"
#include "base/tight-limits.h"
#include "collect/enlist.h"
#include "collect/transparency/exec-env.h"

enum {
	/* Of an environment that we change: our own stack is limited, too. */
	MOST_WORDS = 4096,
	MOST_WORDS_TIGHT = 1024
};

static struct compat_ours ours;

/* A sandbox may kill whoever asks; its children know by the empty word. */
void exec_env_leave(void)
{
	ours.library = NULL;
}

void exec_env_init(void)
{
	static bool done;
	const char *live = done ? NULL : secure_getenv("COPSE_LIVE");
	Dl_info info;

	done = true;
	if (live && *live && dladdr(&ours, &info))
		compat_init(&ours, info.dli_fname);
}

static bool is_our_library(const char *library, size_t size)
{
	const char *name = memrchr(library, '/', size);

	name = name ? name + 1 : library;
	return size - (size_t)(name - library) > 8 &&
	       !memcmp(name, "libcopse", 8);
}

static const char *preload_of(char *const env[], size_t *words)
{
	const char *found = NULL;

	for (*words = 0; env && env[*words]; ++*words)
		if (!strncmp(env[*words], "LD_PRELOAD=", 11))
			found = env[*words];
	return found;
}

static bool is_library_here(void)
{
	return sys3(SYS_faccessat, AT_FDCWD, ours.library, R_OK) >= 0;
}

/*
 * They take the environment into another root, where the loader gives up at
 * our library if that is there and the C library is older; and they are written
 * in Go, which has system calls of its own.
 */
static bool leads_away(const char *path)
{
	static const char *const names[] = { "apptainer", "singularity" };
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

/* Whoever did not become another user may reach the live profiles. */
static bool is_live_here(void)
{
	const char *live = secure_getenv("COPSE_LIVE");

	return !live || sys3(SYS_faccessat, AT_FDCWD, live, W_OK) >= 0;
}

/* Whether our libraries may stay for it; whether they serve is told. */
static bool libraries_fit(int dir, const char *path)
{
	enum compat fit;

	if (!ours.library)
		return true;
	fit = compat_of_file(&ours, dir, path);
	if (fit == COMPAT_STATIC)
		enlist_unfit(LIVE_UNFIT_STATIC);
	else if (fit != COMPAT_YES)
		enlist_unfit(LIVE_UNFIT_LIBRARY);
	else if (!is_library_here())
		enlist_unfit(LIVE_UNFIT_ROOT);
	else if (!is_live_here())
		enlist_unfit(LIVE_UNFIT_USER);
	return (fit == COMPAT_YES || fit == COMPAT_STATIC) &&
	       is_library_here() &&
	       (!compat_is_program(path) || !leads_away(path));
}

static size_t size_without(bool fit, char *const env[])
{
	bool tight = limit_too_tight();
	const char *preload;
	size_t words;

	if (fit && !tight)
		return 0;
	if (tight)
		enlist_unfit(LIVE_UNFIT_LIMIT);
	preload = preload_of(env, &words);
	if (!preload ||
	    words > (limits_stack_is_tight() ? MOST_WORDS_TIGHT : MOST_WORDS) ||
	    !strstr(preload, "libcopse"))
		return 0;
	return (words + 1) * sizeof(*env) + strlen(preload) + 1;
}

size_t exec_env_file(const char *path, char *const env[])
{
	return size_without(libraries_fit(AT_FDCWD, path), env);
}

/* It may be open for nothing but this (O_PATH). */
size_t exec_env_open(int fd, char *const env[])
{
	char path[COMPAT_LINK];

	compat_name_open(path, fd);
	return exec_env_file(path, env);
}

static __attribute__((noinline)) bool is_at(int dir, const char *path,
					    int flags)
{
	struct stat st;

	return sys4(SYS_newfstatat, dir, path, &st, flags) >= 0;
}

size_t exec_env_at(int dir, const char *path, int flags, char *const env[])
{
	flags &= AT_EMPTY_PATH;
	if (flags && path && is_at(dir, path, flags) && !*path)
		return exec_env_open(dir, env);
	return size_without(libraries_fit(dir, path), env);
}

/* Its folder's name takes no more room than it does in the C library. */
static __attribute__((noinline)) bool fits_in(const char *folder, size_t size,
					      const char *file, bool *is)
{
	char *path = __builtin_alloca(size + strlen(file) + 2), *at = path;

	at = mempcpy(at, folder, size);
	if (size)
		*at++ = '/';
	strcpy(at, file);
	*is = compat_is_program(path);
	return !*is || libraries_fit(AT_FDCWD, path);
}

static bool fits_found(const char *file)
{
	const char *at = getenv("PATH");
	bool fit, found;

	for (at = at ? at : "/bin:/usr/bin";; at++) {
		size_t size = strcspn(at, ":");

		fit = fits_in(at, size, file, &found);
		at += size;
		if (found || !*at)
			return fit;
	}
}

size_t exec_env_found(const char *file, char *const env[])
{
	if (!file || strchr(file, '/'))
		return exec_env_file(file, env);
	return size_without(!ours.library || fits_found(file), env);
}

/* LD_PRELOAD without our names, which end at a colon or a blank. */
static void copy_others(char *to, const char *preload)
{
	const char *at = preload + 11;

	memmove(to, preload, 11);
	to += 11;
	while (*at) {
		size_t size = strcspn(at, ": ");
		size_t whole = size + (at[size] != 0);

		if (!is_our_library(at, size)) {
			memmove(to, at, whole);
			to += whole;
		}
		at += whole;
	}
	*to = 0;
}

/* The C library's own note of where the main thread's stack begins. */
extern void *__libc_stack_end;

/*
 * What the program has put there itself may be a constant; what it was given
 * lies above its stack.
 */
void exec_env_follow_limits(void)
{
	size_t words;
	char *preload = (char *)preload_of(environ, &words);

	if ((uintptr_t)preload > (uintptr_t)__libc_stack_end &&
	    limit_too_tight())
		copy_others(preload, preload);
}

/* Of the CUDA driver, NVTX and NCCL, which look for it in the other root. */
static bool is_injection(const char *word)
{
	return ((!strncmp(word, "CUDA_INJECTION64_PATH=", 22) ||
		 !strncmp(word, "NVTX_INJECTION64_PATH=", 22)) &&
		strstr(word, "/libcopse-cuda.so")) ||
	       (!strncmp(word, "NCCL_PROFILER_PLUGIN=", 21) &&
		strstr(word, "/libcopse-nccl.so"));
}

char *const *exec_env_make(void *memory, char *const env[])
{
	char **to = memory, **at = to;
	size_t words;
	const char *preload = preload_of(env, &words);
	char *others = (char *)(to + words + 1);

	for (size_t i = 0; i < words; i++)
		if (!is_injection(env[i]))
			*at++ = env[i] == preload ? others : env[i];
	*at = NULL;
	copy_others(others, preload);
	return to;
}
