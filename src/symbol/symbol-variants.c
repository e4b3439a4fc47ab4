/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbol-variants.c - functions that the C library chooses by the processor.
 *
 * memcpy, strlen, exp and their kind are symbols that name a chooser; what it
 * chooses is in no table of a stripped file.  This process has chosen, too: in
 * the same file, its function that begins at the same place has that name.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "arch/elf-names.h"
#include "symbol/symbol-file.h"

enum {
	BEHIND = 0x100 /* bytes */
};

static const char *const chosen[] = {
	"memmove", "memcpy",  "memset",     "memcmp",  "memchr", "strlen",
	"strcmp",  "strncmp", "strcpy",     "strncpy", "strchr", "strrchr",
	"strnlen", "strstr",  "strcasecmp", "stpcpy",  "wcslen", "wmemset",
	"exp",     "exp2",    "log",        "log2",    "pow",    "sin",
	"cos",     "tan",     "atan",       "atan2",   "sincos", "expf",
	"exp2f",   "logf",    "log2f",      "powf",    "sinf",   "cosf",
	"sincosf", "floor",   "ceil",       "rint",    "trunc",  "nearbyint",
	"fma",     "asin",    "acos",       "sinh",    "cosh",   "fmaf",
};

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Those of memory share code with the variant that is laid behind them. */
static bool is_variant(const char *name, uint64_t at, uint64_t start)
{
	uint64_t behind = !strcmp(name, "memmove") || !strcmp(name, "memset")
				  ? BEHIND
				  : 0;

	return at <= start && start - at <= behind;
}

/* What does the work behind a wrapper is exported for old programs alone. */
static void *behind_wrapper(const char *name)
{
	char finite[32];

	snprintf(finite, sizeof(finite), "__%s_finite", name);
	return dlvsym(RTLD_DEFAULT, finite, GLIBC_FINITE);
}

static struct variant {
	const char *name, *file; /* file NULL: there is none */
	uint64_t start;
} variants[2 * sizeof(chosen) / sizeof(*chosen)];

static void note_variant(struct variant *to, const char *name, void *at)
{
	Dl_info in;

	if (at && dladdr(at, &in))
		*to = (struct variant){ name, in.dli_fname,
					(uint64_t)((char *)at -
						   (char *)in.dli_fbase) };
}

static void note_variants(void)
{
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++) {
		note_variant(&variants[2 * i], chosen[i],
			     dlsym(RTLD_DEFAULT, chosen[i]));
		note_variant(&variants[2 * i + 1], chosen[i],
			     behind_wrapper(chosen[i]));
	}
}

const char *symbol_variant(const char *path, uint64_t start)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, note_variants);
	for (size_t i = 0; i < sizeof(variants) / sizeof(*variants); i++) {
		const struct variant *v = &variants[i];

		if (v->file && is_variant(v->name, v->start, start) &&
		    is_same_file(v->file, path))
			return v->name;
	}
	return NULL;
}
