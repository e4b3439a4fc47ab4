/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fitting.c - see fitting.h.
 *
 * A program that gets a small stack (ulimit -s in a script) has no room there
 * to load our libraries; one of another C library, or of an older glibc, ends
 * when its loader finds them; one for another processor, or in a root where
 * they are not, says that it cannot load them.  They are better left alone.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fit.h"
#include "base/sys.h"
#include "base/tiny-stack.h"
#include "collect/fitting.h"

enum {
	MOST_WORDS = 1024, /* of an environment: our stack may be small, too */
	PATH = 1024
};

static struct fit_ours ours;

void fitting_init(void)
{
	Dl_info info;

	if (dladdr(&ours, &info))
		fit_init(&ours, info.dli_fname);
}

static bool is_ours(const char *library, size_t size)
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

static bool is_here(void)
{
	return !ours.library ||
	       sys3(SYS_faccessat, AT_FDCWD, ours.library, R_OK) >= 0;
}

/*
 * They take the environment into another root, where the loader gives up at
 * our library if that is there and the C library is older; and they are written
 * in Go, which has system calls of its own.
 */
static bool leads_away(const char *path)
{
	static const char *const names[] = { "apptainer", "singularity" };
	const char *slash;

	if (sys3(SYS_faccessat, AT_FDCWD, path, X_OK) < 0)
		return false;
	slash = strrchr(path, '/');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(slash ? slash + 1 : path, names[i]))
			return true;
	return false;
}

static size_t size_for(enum fit fit, char *const env[])
{
	const char *preload;
	size_t words;

	if ((fit == FIT_YES || fit == FIT_STATIC) && is_here() &&
	    !stack_is_tiny())
		return 0;
	preload = preload_of(env, &words);
	if (!preload || words > MOST_WORDS || !strstr(preload, "libcopse"))
		return 0;
	return (words + 1) * sizeof(*env) + strlen(preload) + 1;
}

size_t fitting_file(const char *path, char *const env[])
{
	enum fit fit = leads_away(path) ? FIT_LIBRARY
					: fit_of_file(&ours, AT_FDCWD, path);

	return size_for(fit, env);
}

size_t fitting_open(int fd, char *const env[])
{
	return size_for(fit_of(&ours, fd), env);
}

size_t fitting_at(int dir, const char *path, int flags, char *const env[])
{
	if (flags & AT_EMPTY_PATH && !*path)
		return fitting_open(dir, env);
	return size_for(fit_of_file(&ours, dir, path), env);
}

/* The next folder of a list, with the file's name; false: too long. */
static bool in_folder(char to[PATH], const char *folder, size_t size,
		      const char *file)
{
	size_t length = strlen(file);

	if (size + length + 2 > PATH)
		return false;
	memcpy(to, folder, size);
	to[size] = '/';
	memcpy(to + size + !!size, file, length + 1);
	return true;
}

size_t fitting_found(const char *file, char *const env[])
{
	const char *at = getenv("PATH");
	char path[PATH];

	if (strchr(file, '/'))
		return fitting_file(file, env);
	for (at = at ? at : "/bin:/usr/bin";; at++) {
		size_t size = strcspn(at, ":");

		if (in_folder(path, at, size, file) &&
		    sys3(SYS_faccessat, AT_FDCWD, path, X_OK) >= 0)
			return fitting_file(path, env);
		at += size;
		if (!*at)
			return size_for(FIT_YES, env);
	}
}

/* LD_PRELOAD without our names, which end at a colon or a blank. */
static void copy_others(char *to, const char *preload)
{
	const char *at = preload + 11;

	to = mempcpy(to, preload, 11);
	while (*at) {
		size_t size = strcspn(at, ": ");

		if (!is_ours(at, size))
			to = mempcpy(to, at, size + (at[size] != 0));
		at += size + (at[size] != 0);
	}
	*to = 0;
}

char *const *fitting_make(void *memory, char *const env[])
{
	char **to = memory;
	size_t words;
	const char *preload = preload_of(env, &words);

	for (size_t i = 0; i <= words; i++)
		to[i] = env[i] == preload ? (char *)(to + words + 1) : env[i];
	copy_others((char *)(to + words + 1), preload);
	return to;
}
