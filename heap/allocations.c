/* SPDX-License-Identifier: BSD-3-Clause */
/* allocations.c - interposers of the allocator's functions. */
#include <errno.h>

#include "heap/interposer.h"
#include "heap/next-allocator.h"

PUBLIC uint64_t copse_heap_undrawn(void)
{
	return __atomic_load_n(&draws.left, __ATOMIC_RELAXED);
}

/*
 * A block gets another size: one is freed, and one is allocated.  Where that
 * fails the first one stays, but for size 0.
 */
struct change {
	struct heap_block was;
	double interval;
};

static void begin_change(struct change *c, void *block, size_t bytes)
{
	if (!block || !heap_may_be_sampled(block) ||
	    !copse_heap_freed(block, &c->was))
		c->was.address = 0;
	c->interval =
		interposer_passes(bytes) ? 0 : copse_heap_draw(&draws, bytes);
}

static void end_change(const struct change *c, const void *to, size_t bytes,
		       const uintptr_t *frame)
{
	if (!to && bytes && c->was.address)
		copse_heap_kept(&c->was);
	if (to && c->interval > 0)
		copse_heap_allocated(to, bytes, c->interval, frame);
}

#define ALLOCATES(name, parameters, arguments, bytes)                          \
	INTERPOSE_ALLOCATION(name, parameters, arguments, bytes, 0)
#define FREES(name, parameters, arguments)                                     \
	INTERPOSE_FREE(name, parameters, arguments,                            \
		       !next_allocator_early(block))
#define ALLOCATES_ALIGNED(name)                                                \
	ASIDE int name##_aside(void **to, size_t alignment, size_t size)       \
	{                                                                      \
		double interval = copse_heap_draw(&draws, size);               \
		int err = NEXT(name)(to, alignment, size);                     \
                                                                               \
		if (!err && *to && interval > 0)                               \
			copse_heap_allocated(*to, size, interval, FRAME);      \
		return err;                                                    \
	}                                                                      \
	PUBLIC int name(void **to, size_t alignment, size_t size)              \
	{                                                                      \
		if (interposer_passes(size))                                   \
			return NEXT(name)(to, alignment, size);                \
		return name##_aside(to, alignment, size);                      \
	}
#define CHANGES(name, parameters, arguments, bytes_)                           \
	ASIDE void *name##_aside parameters                                    \
	{                                                                      \
		size_t bytes = bytes_;                                         \
		struct change c;                                               \
		void *to;                                                      \
                                                                               \
		if (next_allocator_early(block))                               \
			return next_allocator_move(block, bytes);              \
		begin_change(&c, block, bytes);                                \
		to = NEXT(name) arguments;                                     \
		end_change(&c, to, bytes, FRAME);                              \
		return to;                                                     \
	}                                                                      \
	PUBLIC void *name parameters                                           \
	{                                                                      \
		if (!heap_may_be_sampled(block) && interposer_passes(bytes_))  \
			return NEXT(name) arguments;                           \
		return name##_aside arguments;                                 \
	}
/* As the C library's does itself: it is counted there. */
#define CHANGES_ARRAY(name, by)                                                \
	PUBLIC void *name(void *block, size_t count, size_t size)              \
	{                                                                      \
		size_t bytes;                                                  \
                                                                               \
		if (__builtin_mul_overflow(count, size, &bytes)) {             \
			errno = ENOMEM;                                        \
			return NULL;                                           \
		}                                                              \
		return by(block, bytes);                                       \
	}
#include "heap/allocators.def"

static __attribute__((constructor)) void heap_start(void)
{
	copse_heap_init();
}
