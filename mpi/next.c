/* SPDX-License-Identifier: BSD-3-Clause */
/* next.c - finds the MPI library, however it was loaded. */
#include "config.h"

#include "mpi/next.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* One MPI per process; found once, never given back. */
struct pmpi pmpi;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static enum {
	UNKNOWN,
	OURS,
	FOREIGN
} _Atomic library;
static void *_Atomic local; /* libmpi that is not in the global scope */

static int is_libmpi(struct dl_phdr_info *info, size_t size, void *path)
{
	static const char name[] = "libmpi.so";
	const char *slash = strrchr(info->dlpi_name, '/');

	(void)size;
	if (!slash || strncmp(slash + 1, name, sizeof(name) - 1) != 0)
		return 0;
	*(const char **)path = info->dlpi_name;
	return 1;
}

/*
 * A libmpi that somebody opened for himself only (python's mpi4py does).  The
 * reference that this takes keeps what we have looked up valid.
 */
static void *local_libmpi(void)
{
	void *handle = atomic_load(&local);
	const char *path = NULL;

	if (handle)
		return handle;
	if (!dl_iterate_phdr(is_libmpi, &path))
		return NULL;
	handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	atomic_store(&local, handle);
	return handle;
}

static void *look_up_from(void *scope, const char *name)
{
	void *found = dlsym(scope, name);
	void *handle = found ? NULL : local_libmpi();

	if (handle)
		found = dlsym(handle, name);
	if (!found)
		dlerror(); /* the program shall not see our failures */
	return found;
}

static void *look_up(const char *name)
{
	return look_up_from(RTLD_NEXT, name);
}

/* Predefined handles: a program may hold the library's data (it is copied). */
static void *look_up_data(const char *name)
{
	return look_up_from(RTLD_DEFAULT, name);
}

static const struct {
	void *to;
	const char *name;
} predefined[] = {
	{ &pmpi.world, "ompi_mpi_comm_world" },
	{ &pmpi.self, "ompi_mpi_comm_self" },
	{ &pmpi.no_comm, "ompi_mpi_comm_null" },
	{ &pmpi.no_type, "ompi_mpi_datatype_null" },
	{ &pmpi.no_op, "ompi_mpi_op_no_op" },
	{ &pmpi.no_request, "ompi_request_null" },
	{ &pmpi.completed, "ompi_request_empty" },
};

static int examine(void)
{
	if (!look_up("MPI_Init"))
		return UNKNOWN;
	for (size_t i = 0; i < sizeof(predefined) / sizeof(*predefined); i++)
		if (!(*(void **)predefined[i].to =
			      look_up_data(predefined[i].name)))
			return FOREIGN;
#define F(name)                                                                \
	if (!(pmpi.name = look_up("PMPI_" #name)))                             \
		return FOREIGN;
	PMPI_FUNCTIONS(F)
#undef F
	return OURS;
}

static bool is_ours(void)
{
	if (atomic_load(&library) == UNKNOWN) {
		pthread_mutex_lock(&lock);
		if (atomic_load(&library) == UNKNOWN)
			atomic_store(&library, examine());
		pthread_mutex_unlock(&lock);
	}
	return atomic_load(&library) == OURS;
}

void *next_find(struct function *f)
{
	void *next = is_ours() ? look_up(f->region.text) : NULL;

	if (next)
		atomic_store_explicit(&f->next, next, memory_order_release);
	return next;
}

/*
 * Without an MPI library nobody gets here but those who asked whether the
 * symbol exists, by a weak reference or dlsym(): ours answers that it does.
 * They learn that MPI is not running, and that nothing else works.
 */
static int no_flag(int *flag)
{
	*flag = 0;
	return MPI_SUCCESS;
}

static int no_function(void)
{
	return MPI_ERR_OTHER;
}

void *next_uncounted(const struct function *f)
{
	const char *name = f->region.text;
	void *next = look_up(name);

	if (next)
		return next;
	if (!strcmp(name, "MPI_Initialized") || !strcmp(name, "MPI_Finalized"))
		return no_flag;
	if (atomic_load(&library) == UNKNOWN)
		return no_function;
	/* There is an MPI that lacks the function: the loader would end it. */
	fprintf(stderr, "symbol lookup error: undefined symbol: %s\n", name);
	_exit(127);
}
