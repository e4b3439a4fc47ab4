/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operators.c - interposers of C++'s operators, for programs whose allocator
 * has its own, which need not call malloc() (jemalloc, tcmalloc, mimalloc).
 * `copse run` preloads them there alone: a C++ library that is opened later,
 * and has its operators for itself, would find ours instead.
 *
 * A block that an operator behind ours got from malloc() was counted there.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "heap/interposer.h"

#define ROW(name)            name##_row,
#define ALLOCATES(name, ...) ROW(name)
#define FREES(name, ...)     ROW(name)
enum operator_row {
#include "heap/operators.def"
	OPERATORS
};
#undef ROW

#define ALLOCATES(name, parameters, ...) void *name parameters;
#define FREES(name, parameters, ...)     void name parameters;
#include "heap/operators.def"

#define ALLOCATES(name, parameters, arguments, bytes, instead)                 \
	static void *instead_of_##name parameters                              \
	{                                                                      \
		return instead;                                                \
	}
#define FREES(name, parameters, arguments)                                     \
	static void instead_of_##name parameters                               \
	{                                                                      \
		free(block);                                                   \
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "heap/operators.def"
#pragma GCC diagnostic pop

/* Mutable: found as the adapter is loaded, or by a first call before. */
static void *operators[OPERATORS];

static void *find_operator(enum operator_row row, const char *name,
			   void *instead)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		found = instead;
	__atomic_store_n(&operators[row], found, __ATOMIC_RELEASE);
	return found;
}

static uint64_t undrawn_by_malloc(void)
{
	return copse_heap_undrawn ? copse_heap_undrawn() : 0;
}

#define NEXT(name)                                                             \
	((__typeof__(&(name)))(operators[name##_row]                           \
				       ? operators[name##_row]                 \
				       : find_operator(                        \
						 name##_row, #name,            \
						 (void *)instead_of_##name)))

#define ALLOCATES(name, parameters, arguments, bytes, ...)                     \
	INTERPOSE_ALLOCATION(name, parameters, arguments, bytes,               \
			     undrawn_by_malloc())
#define FREES(name, parameters, arguments)                                     \
	INTERPOSE_FREE(name, parameters, arguments, true)
#include "heap/operators.def"

static __attribute__((constructor)) void operators_start(void)
{
	copse_heap_init();
#define ALLOCATES(name, ...) NEXT(name);
#define FREES(name, ...)     NEXT(name);
#include "heap/operators.def"
	dlerror(); /* the program must not see our failures */
}
