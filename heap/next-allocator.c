/* SPDX-License-Identifier: BSD-3-Clause */
/* next-allocator.c - see next-allocator.h. */
#include "heap/next-allocator.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "collect/heap/heap-sample.h"

enum {
	EARLY_BYTES = 8192,
	ALIGNMENT = 16,
	MARK = UINT8_MAX /* of the filter: for ever */
};

/* Mutable: what a look-up itself asked for, each with its size before it. */
static struct {
	bool asking;
	size_t used;
	char at[EARLY_BYTES] __attribute__((aligned(ALIGNMENT)));
} early;

static void *early_block(size_t size)
{
	size_t all = (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *at = early.at + early.used;

	if (size > EARLY_BYTES || all > EARLY_BYTES - early.used) {
		errno = ENOMEM;
		return NULL;
	}
	early.used += all;
	memcpy(at, &size, sizeof(size));
	*heap_filter_place(at + ALIGNMENT) = MARK;
	return at + ALIGNMENT;
}

bool next_allocator_early(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early.at < EARLY_BYTES;
}

void *next_allocator_move(void *block, size_t size)
{
	size_t had;
	void *to = NEXT(malloc)(size);

	memcpy(&had, (char *)block - ALIGNMENT, sizeof(had));
	if (to)
		memcpy(to, block, had < size ? had : size);
	return to;
}

static void find_allocator(void);

/* Until it is found, each function finds it. */
#define ALLOCATES(name, parameters, arguments, bytes)                          \
	static void *first_##name parameters                                   \
	{                                                                      \
		if (early.asking)                                              \
			return early_block(bytes);                             \
		find_allocator();                                              \
		return NEXT(name) arguments;                                   \
	}
#define CHANGES(name, parameters, arguments, bytes)                            \
	static void *first_##name parameters                                   \
	{                                                                      \
		void *to;                                                      \
                                                                               \
		if (!early.asking) {                                           \
			find_allocator();                                      \
			return NEXT(name) arguments;                           \
		}                                                              \
		to = early_block(bytes);                                       \
		if (to && (block))                                             \
			memcpy(to, block, bytes);                              \
		return to;                                                     \
	}
#define FREES(name, parameters, arguments)                                     \
	static void first_##name(void *block)                                  \
	{                                                                      \
		if (!early.asking && block) {                                  \
			find_allocator();                                      \
			NEXT(name)(block);                                     \
		}                                                              \
	}
#define ALLOCATES_ALIGNED(name)                                                \
	static int first_##name(void **to, size_t alignment, size_t size)      \
	{                                                                      \
		if (early.asking)                                              \
			return ENOMEM;                                         \
		find_allocator();                                              \
		return NEXT(name)(to, alignment, size);                        \
	}
#include "heap/allocators.def"

/* Mutable: found by the first call. */
struct next_allocator next_allocator = {
#define ROW(name)               .name##_next = first_##name,
#define ALLOCATES(name, ...)    ROW(name)
#define ALLOCATES_ALIGNED(name) ROW(name)
#define CHANGES(name, ...)      ROW(name)
#define FREES(name, ...)        ROW(name)
#include "heap/allocators.def"
#undef ROW
};

static void find_allocator(void)
{
	struct next_allocator found;

	early.asking = true;
#define ROW(name)                                                              \
	found.name##_next =                                                    \
		(__typeof__(found.name##_next))dlsym(RTLD_NEXT, #name);
#define ALLOCATES(name, ...)    ROW(name)
#define ALLOCATES_ALIGNED(name) ROW(name)
#define CHANGES(name, ...)      ROW(name)
#define FREES(name, ...)        ROW(name)
#include "heap/allocators.def"
#undef ROW
	early.asking = false;
	next_allocator = found;
}
