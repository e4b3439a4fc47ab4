/* SPDX-License-Identifier: BSD-3-Clause */
/* libmpi.c - finds the MPI library, however it was loaded. */
#include "config.h"

#include "mpi/libmpi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "collect/loaded.h"
#include "collect/transparency/dlsym.h"

#include MPI_LIBRARY

/* One MPI per process; found once, never given back. */
struct pmpi pmpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum library _Atomic library;
static unsigned long long _Atomic examined; /* libmpi_changes() then */

/*
 * How the files of MPI libraries and their Fortran bindings begin; Cray's have
 * the compiler in their names (libmpi_gnu_123.so.12, libmpifort_cray.so.12).
 */
static const char *const files[] = { "libmpi.so", "libmpi_", "libmpich",
				     "libmpifort", "libopen_mpi" };

#define STANDARD "libmpi_abi" /* the name that MPI 5.0 lays down */

#define ADAPTERS "libcopse-mpi-" /* we, for any MPI */

static const char *file_of_library(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_mpi_file(const char *file)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(file, files[i], strlen(files[i])))
			return true;
	return false;
}

static bool is_of_others(const char *file)
{
	return strncmp(file, ADAPTERS, strlen(ADAPTERS)) != 0;
}

static void *look_up_from(void *scope, const char *symbol)
{
	void *found = dlsym(scope, symbol);

	return found ? found : copse_loaded(is_mpi_file, true, symbol);
}

void *libmpi_look_up(const char *symbol)
{
	return look_up_from(RTLD_NEXT, symbol);
}

static bool is_others_symbol(const void *found)
{
	Dl_info info;

	return found && dladdr(found, &info) &&
	       is_of_others(file_of_library(info.dli_fname));
}

void *libmpi_look_up_beyond(const char *symbol)
{
	void *found = dlsym(RTLD_NEXT, symbol);

	return is_others_symbol(found)
		       ? found
		       : copse_loaded(is_of_others, false, symbol);
}

bool libmpi_is_preceded(const char *symbol)
{
	bool is = is_others_symbol(dlsym(RTLD_DEFAULT, symbol));

	dlerror();
	return is;
}

bool libmpi_is_beside(const void *code, const char *symbol)
{
	Dl_info of_code, of_symbol;
	void *handle, *found;

	if (!dladdr(code, &of_code))
		return false;
	handle = dlopen(of_code.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	found = handle ? copse_dlsym_find(handle, symbol) : NULL;
	if (handle)
		dlclose(handle);
	dlerror();
	return found && dladdr(found, &of_symbol) &&
	       of_symbol.dli_fbase == of_code.dli_fbase;
}

static void *mpi_gate_of(const char *symbol)
{
	Dl_info own;
	void *handle = dladdr(&pmpi, &own)
			       ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
			       : NULL;
	void *gate = handle ? copse_dlsym_find(handle, symbol) : NULL;

	if (handle)
		dlclose(handle);
	return gate;
}

/*
 * Who looks MPI up in its handle meets its gate, where that leads to what he
 * found: what stands between us and MPI by such look-ups goes on to MPI.
 */
static void *in_front_of_mpi(const char *symbol, void *found,
			     const void *caller)
{
	Dl_info of_found;
	void *gate = NULL;

	(void)caller;
	if (strncasecmp(symbol, "mpi_", 4) != 0)
		return NULL;
	if (dladdr(found, &of_found) &&
	    is_mpi_file(file_of_library(of_found.dli_fname)) &&
	    libmpi_library() == LIBRARY_OURS &&
	    libmpi_look_up_beyond(symbol) == found)
		gate = mpi_gate_of(symbol);
	dlerror(); /* the program shall not see our failures */
	return gate;
}

/*
 * A program without MPI that looks one of its functions up wants to know
 * whether there is one.
 */
static bool is_hidden_symbol(void *handle, const char *symbol)
{
	static const char *const prefixes[] = { "mpi_", "pmpi_" };
	bool named = false, is;

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		named |= !strncasecmp(symbol, prefixes[i], strlen(prefixes[i]));
	if (!named)
		return false;
	is = libmpi_library() == LIBRARY_NONE && mpi_gate_of(symbol) &&
	     (handle == RTLD_NEXT ||
	      !is_others_symbol(dlsym(RTLD_DEFAULT, symbol))) &&
	     !libmpi_look_up_beyond(symbol);
	dlerror();
	return is;
}

static __attribute__((constructor)) void stand_in_front(void)
{
	copse_dlsym_front(in_front_of_mpi, is_hidden_symbol);
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(unsigned long long *)data = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

unsigned long long libmpi_changes(void)
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

/*
 * A library with the standard interface may be a layer on one that has its own,
 * whose data are there, too.
 */
static bool is_standard(const void *function)
{
	Dl_info info;

	return dladdr(function, &info) &&
	       !strncmp(file_of_library(info.dli_fname), STANDARD,
			strlen(STANDARD));
}

/* MPI_Wtick: no adapter stands in front of it. */
static enum library examine_library(struct pmpi *to)
{
	const void *clock = libmpi_look_up("MPI_Wtick");

	if (!clock)
		return LIBRARY_NONE;
	if (is_standard(clock) != MPI_LIBRARY_IS_STANDARD ||
	    !mpi_library_is_ours(to, look_up_data))
		return LIBRARY_FOREIGN;
#define F(name)                                                                \
	if (!(to->name = libmpi_look_up("PMPI_" #name)))                       \
		return LIBRARY_FOREIGN;
	PMPI_FUNCTIONS(F)
#undef F
	return LIBRARY_OURS;
}

/* In a forked child: another thread, that is not here, may have it. */
static void free_own_lock(void)
{
	pthread_mutex_init(&lock, NULL);
}

static void watch_own_lock(void)
{
	pthread_atfork(NULL, NULL, free_own_lock);
}

/*
 * The loader has locks of its own, which a thread that gets here may hold, from
 * a library's constructor: so none of ours is held while it is asked.
 */
enum library libmpi_library(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct pmpi found = { 0 };
	unsigned long long now;
	enum library is;

	if (library != LIBRARY_NONE || (now = libmpi_changes()) == examined)
		return library;
	is = examine_library(&found);
	if (is != LIBRARY_NONE) {
		pthread_once(&once, watch_own_lock);
		pthread_mutex_lock(&lock);
		if (library == LIBRARY_NONE) {
			pmpi = found;
			library = is;
		}
		pthread_mutex_unlock(&lock);
	}
	examined = now;
	return library;
}
