/* SPDX-License-Identifier: BSD-3-Clause */
/* next.c - finds the MPI library, however it was loaded. */
#include "config.h"

#include "mpi/next.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include MPI_LIBRARY

/* One MPI per process; found once, never given back. */
struct pmpi pmpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum library _Atomic library;
static unsigned long long _Atomic examined; /* next_changes() then */

/*
 * How the files of MPI libraries and their Fortran bindings begin; Cray's have
 * the compiler in their names (libmpi_gnu_123.so.12, libmpifort_cray.so.12).
 */
static const char *const files[] = { "libmpi.so", "libmpi_", "libmpich",
				     "libmpifort" };

#define ADAPTERS "libcopse-mpi-" /* we, for any MPI */

/* The next library of a kind, in the order in which they were loaded. */
struct search {
	bool (*is_wanted)(const char *file);
	size_t skip; /* so many of them */
	char path[PATH_MAX];
};

static bool begins(const char *file, const char *begin)
{
	return !strncmp(file, begin, strlen(begin));
}

static const char *file_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_of_mpi(const char *file)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (begins(file, files[i]))
			return true;
	return false;
}

static bool is_of_others(const char *file)
{
	return !begins(file, ADAPTERS);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;

	(void)size;
	if (!strchr(info->dlpi_name, '/') ||
	    !s->is_wanted(file_of(info->dlpi_name)) || s->skip--)
		return 0;
	snprintf(s->path, sizeof(s->path), "%s", info->dlpi_name);
	return 1;
}

/*
 * In libraries that somebody opened for himself only (python's mpi4py does).
 * One that is kept open keeps valid what was found.  Not what whoever asks for
 * the symbol finds without us: a tool that stands before us leads back to us.
 */
static void *look_up_in(bool (*are)(const char *file), bool keep,
			const char *symbol)
{
	void *first = dlsym(RTLD_DEFAULT, symbol), *found = NULL;

	for (size_t n = 0; !found; n++) {
		struct search s = { .is_wanted = are, .skip = n };
		void *handle;

		if (!dl_iterate_phdr(look_at, &s))
			break;
		handle = dlopen(s.path, RTLD_LAZY | RTLD_NOLOAD);
		found = handle ? dlsym(handle, symbol) : NULL;
		if (found == first)
			found = NULL;
		if (handle && !(found && keep))
			dlclose(handle);
	}
	dlerror(); /* the program shall not see our failures */
	return found;
}

static void *look_up_from(void *scope, const char *symbol)
{
	void *found = dlsym(scope, symbol);

	return found ? found : look_up_in(is_of_mpi, true, symbol);
}

void *next_look_up(const char *symbol)
{
	return look_up_from(RTLD_NEXT, symbol);
}

void *next_look_up_beyond(const char *symbol)
{
	void *found = dlsym(RTLD_NEXT, symbol);
	Dl_info info;

	if (found && dladdr(found, &info) &&
	    is_of_others(file_of(info.dli_fname)))
		return found;
	return look_up_in(is_of_others, false, symbol);
}

bool next_is_beside(const void *code, const char *symbol)
{
	Dl_info of_code, of_symbol;
	void *handle, *found;

	if (!dladdr(code, &of_code))
		return false;
	handle = dlopen(of_code.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	found = handle ? dlsym(handle, symbol) : NULL;
	if (handle)
		dlclose(handle);
	dlerror();
	return found && dladdr(found, &of_symbol) &&
	       of_symbol.dli_fbase == of_code.dli_fbase;
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

unsigned long long next_changes(void)
{
	unsigned long long changes = 0;

	dl_iterate_phdr(count_changes, &changes);
	return changes;
}

/* Predefined handles: a program may hold the library's data (it is copied). */
static void *look_up_data(const char *symbol)
{
	return look_up_from(RTLD_DEFAULT, symbol);
}

/* MPI_Wtick: no adapter stands in front of it. */
static enum library examine(void)
{
	if (!next_look_up("MPI_Wtick"))
		return LIBRARY_NONE;
	if (!library_is_ours(look_up_data))
		return LIBRARY_FOREIGN;
#define F(name)                                                                \
	if (!(pmpi.name = next_look_up("PMPI_" #name)))                        \
		return LIBRARY_FOREIGN;
	PMPI_FUNCTIONS(F)
#undef F
	return LIBRARY_OURS;
}

enum library next_library(void)
{
	unsigned long long now;

	if (library != LIBRARY_NONE || (now = next_changes()) == examined)
		return library;
	pthread_mutex_lock(&lock);
	if (library == LIBRARY_NONE)
		library = examine();
	examined = now;
	pthread_mutex_unlock(&lock);
	return library;
}

void next_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
