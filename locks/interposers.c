/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interposers.c - interposers of the C library's functions, which report waits
 * to the collector.
 *
 * A free lock is taken at once by the C library's own try functions.  Where
 * trying may differ from the call, the adapter only looks at the lock, and
 * makes the call in any case.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "collect/threads/lock-taken.h"
#include "collect/unwind/loaded-object.h"
#include "locks/nexts.h"

#define LIST(...) __VA_ARGS__

enum look {
	LOOK_WAITS,
	LOOK_FREE,
	LOOK_HAD
};

enum {                                /* of glibc's */
	SIMPLE_KINDS = 3 | 256 | 512, /* normal to adaptive; elision */
	RWLOCK_WRITER = 2,
	RWLOCK_READER_SHIFT = 3
};

static inline enum look read_mutex_state(const pthread_mutex_t *of)
{
	return __atomic_load_n(&of->__data.__lock, __ATOMIC_RELAXED)
		       ? LOOK_WAITS
		       : LOOK_FREE;
}

/* Robust, priority or process-shared mutexes are not tried. */
static inline enum look try_mutex(pthread_mutex_t *of)
{
	if (of->__data.__kind & ~SIMPLE_KINDS)
		return read_mutex_state(of);
	return NEXT(pthread_mutex_trylock)(of) ? LOOK_WAITS : LOOK_HAD;
}

static inline enum look try_read_lock(pthread_rwlock_t *of)
{
	return NEXT(pthread_rwlock_tryrdlock)(of) ? LOOK_WAITS : LOOK_HAD;
}

static inline enum look try_write_lock(pthread_rwlock_t *of)
{
	return NEXT(pthread_rwlock_trywrlock)(of) ? LOOK_WAITS : LOOK_HAD;
}

static inline enum look rwlock_state_for_reader(const pthread_rwlock_t *of)
{
	return of->__data.__readers & RWLOCK_WRITER ? LOOK_WAITS : LOOK_FREE;
}

static inline enum look rwlock_state_for_writer(const pthread_rwlock_t *of)
{
	return of->__data.__readers >> RWLOCK_READER_SHIFT
		       ? LOOK_WAITS
		       : rwlock_state_for_reader(of);
}

static inline enum look try_spin_lock(pthread_spinlock_t *of)
{
	return NEXT(pthread_spin_trylock)(of) ? LOOK_WAITS : LOOK_HAD;
}

static inline enum look read_semaphore_state(sem_t *of)
{
	int value = 0;

	return !sem_getvalue(of, &value) && value > 0 ? LOOK_FREE : LOOK_WAITS;
}

/* A cancelled thread ends here, whether or not it would wait. */
static inline enum look try_semaphore(sem_t *of)
{
	int saved = errno;

	pthread_testcancel();
	if (!NEXT(sem_trywait)(of))
		return LOOK_HAD;
	errno = saved;
	return LOOK_WAITS;
}

/* Mutable: the collector's code, found as the adapter is loaded. */
static struct {
	uintptr_t low, size;
} collector_code;

/* The collector waits for a semaphore in clock_nanosleep()'s place. */
#define CALLED_BY_US                                                           \
	((uintptr_t)__builtin_return_address(0) - collector_code.low <         \
	 collector_code.size)

static __thread struct lock_taken taken_last
	__attribute__((tls_model("initial-exec")));

#define FRAME FRAME_HERE

#define WAIT(name, kind, parameters, arguments, seen_)                         \
	static __attribute__((noinline)) int name##_waits(                     \
		const uintptr_t *frame, LIST parameters)                       \
	{                                                                      \
		struct lock_wait w;                                            \
		int err;                                                       \
                                                                               \
		copse_lock_wait(&w, (const void *)of, LOCK_##kind, frame);     \
		err = NEXT(name) arguments;                                    \
		copse_lock_go_on(&w, !err || err == EOWNERDEAD);               \
		return err;                                                    \
	}                                                                      \
	PUBLIC int name parameters                                             \
	{                                                                      \
		enum look seen = seen_;                                        \
                                                                               \
		lock_note_taken(&taken_last, (const void *)of, FRAME);         \
		if (__builtin_expect(seen == LOOK_HAD, 1))                     \
			return 0;                                              \
		if (seen == LOOK_FREE)                                         \
			return NEXT(name) arguments;                           \
		return name##_waits(FRAME, LIST arguments);                    \
	}
#define CONDITION(name, kind, parameters, arguments)                           \
	PUBLIC int name parameters                                             \
	{                                                                      \
		struct contended *c = lock_contended_find(mutex);              \
		struct lock_wait w;                                            \
		int err;                                                       \
                                                                               \
		if (c && lock_contended_now(c))                                \
			copse_lock_blame(                                      \
				c, LOCK_MUTEX, copse_lock_release(c), FRAME,   \
				lock_taken_inside(&taken_last, mutex, FRAME)); \
		copse_lock_wait(&w, of, LOCK_##kind, FRAME);                   \
		err = NEXT(name) arguments;                                    \
		copse_lock_go_on(&w, true);                                    \
		return err;                                                    \
	}
#define RELEASE(name, kind, parameters)                                        \
	static __attribute__((noinline)) int name##_tells(                     \
		const uintptr_t *frame, LIST parameters, struct contended *c)  \
	{                                                                      \
		uint64_t ns = copse_lock_release(c);                           \
		int err = NEXT(name)(of);                                      \
                                                                               \
		if (!err)                                                      \
			copse_lock_blame(c, LOCK_##kind, ns, frame,            \
					 lock_taken_inside(&taken_last,        \
							   (const void *)of,   \
							   frame));            \
		return err;                                                    \
	}                                                                      \
	PUBLIC int name parameters                                             \
	{                                                                      \
		struct contended *c = lock_contended_find((const void *)of);   \
                                                                               \
		if (__builtin_expect(c && lock_contended_now(c), 0))           \
			return name##_tells(FRAME, of, c);                     \
		return NEXT(name)(of);                                         \
	}
#include "locks/interposed.def"

static __attribute__((constructor)) void locks_start(void)
{
	struct loaded_object object;

	copse_lock_init();
	for (int row = 0; row < NEXT_ROWS; row++)
		nexts_find((enum next_row)row);
	dlerror(); /* the program must not see our failures */
	if (copse_loaded_object(&object, copse_lock_init)) {
		collector_code.low = object.start;
		collector_code.size = object.end - collector_code.low;
	}
}
