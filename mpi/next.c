/* SPDX-License-Identifier: BSD-3-Clause */
/* next.c - finds the MPI library, however it was loaded. */
#include "config.h"

#include "mpi/next.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include MPI_LIBRARY

/* One MPI per process; found once, never given back. */
struct pmpi pmpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum library _Atomic library;

/*
 * How the files of MPI libraries and their Fortran bindings begin; Cray's have
 * the compiler in their names (libmpi_gnu_123.so.12, libmpifort_cray.so.12).
 */
static const char *const files[] = { "libmpi.so", "libmpi_", "libmpich",
				     "libmpifort" };

enum {
	FILES_MOST = 16
};

struct search {
	const char *paths[FILES_MOST];
	int count;
};

static bool is_of_mpi(const char *path)
{
	const char *slash = strrchr(path, '/');

	for (size_t i = 0; slash && i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(slash + 1, files[i], strlen(files[i])))
			return true;
	return false;
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;

	(void)size;
	if (s->count < FILES_MOST && is_of_mpi(info->dlpi_name))
		s->paths[s->count++] = info->dlpi_name;
	return 0;
}

/*
 * In a library that somebody opened for himself only (python's mpi4py does).
 * The reference that is kept keeps valid what was found.
 */
static void *look_up_in(const char *path, const char *symbol)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	void *found = handle ? dlsym(handle, symbol) : NULL;

	if (handle && !found)
		dlclose(handle);
	return found;
}

static void *look_up_from(void *scope, const char *symbol)
{
	void *found = dlsym(scope, symbol);
	struct search s = { .count = 0 };

	if (found)
		return found;
	dl_iterate_phdr(add_module, &s);
	for (int i = 0; i < s.count && !found; i++)
		found = look_up_in(s.paths[i], symbol);
	if (!found)
		dlerror(); /* the program shall not see our failures */
	return found;
}

void *next_look_up(const char *symbol)
{
	return look_up_from(RTLD_NEXT, symbol);
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
	if (library == LIBRARY_NONE) {
		pthread_mutex_lock(&lock);
		if (library == LIBRARY_NONE)
			library = examine();
		pthread_mutex_unlock(&lock);
	}
	return library;
}

void next_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
