/* SPDX-License-Identifier: BSD-3-Clause */
/* dlsym.c - dlsym, see dlsym.h. */
#include "collect/transparency/dlsym.h"

#include <dlfcn.h>
#include <stddef.h>

#include "arch/elf-names.h"
#include "arch/thunks.h"
#include "base/hidden.h"
#include "collect/unwind/loaded-object.h"

#define FROM_ASM __attribute__((used, visibility("hidden")))

enum {
	FRONTS = 5 /* two of MPI, one of OpenMP, and two of ours */
};

typedef void *look_up_fn(void *, const char *);

/* Found once, by whoever comes first. */
FROM_ASM look_up_fn *look_up_next;
FROM_ASM void *dlsym_prepare(void *handle, const char *name);
FROM_ASM void *dlsym_in_handle(void *handle, const char *name,
			       const void *caller);
static struct {
	look_up_front *front;
	look_up_hidden *hidden;
} fronts[FRONTS];
/* A sanitizer looks up before what finds threads' variables elsewhere works. */
static __thread bool asking __attribute__((tls_model("initial-exec")));

/*
 * RTLD_DEFAULT and RTLD_NEXT mean what they do for who calls, whom the C
 * library knows by where it returns to: they are jumped on with.
 */
THUNK_DLSYM;

/*
 * The C library's is asked for the next one: another tool may have its own.
 * Where we were loaded behind the C library, its own is the next one.
 */
static look_up_fn *find_next(void)
{
	static const char version[] = GLIBC_FIRST;
	look_up_fn *own = (look_up_fn *)dlvsym(RTLD_NEXT, "dlsym", version);
	look_up_fn *next =
		(look_up_fn *)(own ? own(RTLD_NEXT, "dlsym")
				   : dlvsym(RTLD_DEFAULT, "dlsym", version));

	__atomic_store_n(&look_up_next, next, __ATOMIC_RELEASE);
	return next;
}

static look_up_fn *next_one(void)
{
	look_up_fn *next = __atomic_load_n(&look_up_next, __ATOMIC_ACQUIRE);

	return next ? next : find_next();
}

/* The i-th; NULL: there are no more. */
static look_up_front *front_at(size_t i)
{
	return i < FRONTS ? __atomic_load_n(&fronts[i].front, __ATOMIC_ACQUIRE)
			  : NULL;
}

static bool is_hidden(void *handle, const char *name)
{
	bool is = false;

	if (asking)
		return false;
	asking = true;
	for (size_t i = 0; front_at(i) && !is; i++)
		is = fronts[i].hidden && fronts[i].hidden(handle, name);
	asking = false;
	return is;
}

/* Where it is not found, such that dlerror() names it. */
static void *open_libc(void)
{
	return dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
}

/* The handle to look it up in. */
void *dlsym_prepare(void *handle, const char *name)
{
	next_one();
	return is_hidden(handle, name) ? open_libc() : handle;
}

PUBLIC void *copse_dlsym_find(void *handle, const char *name)
{
	return next_one()(handle, name);
}

PUBLIC void *copse_dlsym_newer(void *found, void *newer)
{
	struct loaded_object one, other;

	return found && newer && loaded_object_find(&one, found) &&
			       loaded_object_find(&other, newer) &&
			       one.map == other.map
		       ? newer
		       : found;
}

void *dlsym_in_handle(void *handle, const char *name, const void *caller)
{
	void *found = copse_dlsym_find(handle, name), *front = NULL;

	if (found && is_hidden(handle, name))
		return copse_dlsym_find(open_libc(), name);
	for (size_t i = 0; found && front_at(i) && !front; i++)
		front = fronts[i].front(name, found, caller);
	return front ? front : found;
}

PUBLIC void copse_dlsym_front(look_up_front *front, look_up_hidden *hidden)
{
	size_t i = 0;

	while (front_at(i))
		i++;
	if (i < FRONTS) {
		fronts[i].hidden = hidden;
		__atomic_store_n(&fronts[i].front, front, __ATOMIC_RELEASE);
	}
}
