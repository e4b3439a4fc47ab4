/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - interposers of the runtime's functions: they put the team between
 * the runtime and the program.
 */
#include "arch/page-size.h"
#include "collect/threads/lock-taken.h"
#include "collect/threads/omp-team.h"
#include "openmp/ompt.h"
#include "openmp/own-locks.h"
#include "openmp/runtime.h"
#include "openmp/tasks.h"

#define LIST(...) __VA_ARGS__

enum {
	HELD_LOCKS = 256
};

/*
 * For the function that the program called, which is compiled with
 * -fno-omit-frame-pointer.  After it the runtime gets copse_team_member() and
 * the team instead of the program's function and data.
 */
#define team_begin(team, function_, data_)                                     \
	do {                                                                   \
		struct region_frame caller_ = region_frame();                  \
		(team)->data = (data_);                                        \
		(team)->size = runtime_number(ROW_omp_get_num_threads);        \
		(team)->index = runtime_number(ROW_omp_get_thread_num);        \
		copse_team_begin((team), (function_), &caller_,                \
				 (uintptr_t)(team));                           \
	} while (0)

/* The program calls each of them itself. */
#define CALLER __builtin_return_address(0)

#define runtime_number(row)                                                    \
	({                                                                     \
		bool known_;                                                   \
		(int (*)(void)) runtime_next(row, CALLER, &known_);            \
	})

#define REGION(name, parameters, arguments)                                    \
	PUBLIC void name(void (*function)(void *), void *data,                 \
			 unsigned int threads, LIST parameters);               \
	void name(void (*function)(void *), void *data, unsigned int threads,  \
		  LIST parameters)                                             \
	{                                                                      \
		bool known;                                                    \
		void (*next)(void (*)(void *), void *, unsigned int,           \
			     LIST parameters) =                                \
			runtime_next(ROW_##name, CALLER, &known);              \
		struct omp_team team;                                          \
                                                                               \
		if (!known) {                                                  \
			next(function, data, threads, LIST arguments);         \
			return;                                                \
		}                                                              \
		team_begin(&team, function, data);                             \
		next(copse_team_member, &team, threads, LIST arguments);       \
		copse_team_end(&team);                                         \
	}
#define REDUCTION(name, parameters, arguments)                                 \
	PUBLIC unsigned int name(void (*function)(void *), void *data,         \
				 unsigned int threads, LIST parameters);       \
	unsigned int name(void (*function)(void *), void *data,                \
			  unsigned int threads, LIST parameters)               \
	{                                                                      \
		bool known;                                                    \
		unsigned int (*next)(void (*)(void *), void *, unsigned int,   \
				     LIST parameters) =                        \
			runtime_next(ROW_##name, CALLER, &known);              \
		struct omp_team team;                                          \
		unsigned int were;                                             \
                                                                               \
		if (!known)                                                    \
			return next(function, data, threads, LIST arguments);  \
		team.first = *(void **)data;                                   \
		team_begin(&team, function, data);                             \
		were = next(copse_team_member, &team, threads,                 \
			    LIST arguments);                                   \
		copse_team_end(&team);                                         \
		return were;                                                   \
	}
#define TASK(name, what, parameters, arguments)                                \
	PUBLIC void name(void (*function)(void *), void *data,                 \
			 void (*copy)(void *, void *), long size, long align,  \
			 LIST parameters);                                     \
	void name(void (*function)(void *), void *data,                        \
		  void (*copy)(void *, void *), long size, long align,         \
		  LIST parameters)                                             \
	{                                                                      \
		struct region_frame caller = region_frame();                   \
		bool known, waits = false;                                     \
		void (*next)(void (*)(void *), void *,                         \
			     void (*)(void *, void *), long, long,             \
			     LIST parameters) =                                \
			runtime_next(ROW_##name, CALLER, &known);              \
		struct task_given to;                                          \
                                                                               \
		if (known && (what) != TEAM_WAITS)                             \
			waits = copse_team_wait(what);                         \
		if (known && task_give(&to, function, data, copy, size, align, \
				       &caller))                               \
			next(to.function, to.from, to.copy, to.size, to.align, \
			     LIST arguments);                                  \
		else                                                           \
			next(function, data, copy, size, align,                \
			     LIST arguments);                                  \
		copse_team_go_on(waits);                                       \
	}
#define WAIT(name, what, parameters, arguments)                                \
	PUBLIC void name parameters;                                           \
	void name parameters                                                   \
	{                                                                      \
		bool known;                                                    \
		void(*next) parameters =                                       \
			runtime_next(ROW_##name, CALLER, &known);              \
		bool waits = copse_team_wait(what);                            \
                                                                               \
		next arguments;                                                \
		copse_team_go_on(waits);                                       \
	}
#define WAIT_GIVES(name, what, type)                                           \
	PUBLIC type name(void);                                                \
	type name(void)                                                        \
	{                                                                      \
		bool known;                                                    \
		type (*next)(void) = runtime_next(ROW_##name, CALLER, &known); \
		bool waits = copse_team_wait(what);                            \
		type result = next();                                          \
                                                                               \
		copse_team_go_on(waits);                                       \
		return result;                                                 \
	}

/*
 * Locks.  The collector records threads that wait, and threads that release a
 * lock for which others wait.
 */
static __thread struct lock_taken taken
	__attribute__((tls_model("initial-exec")));

#define FRAME   FRAME_HERE
#define NO_NAME ((void *)1) /* of all critical sections that have none */

/* Mutable: LLVM's critical sections that are held, see CRITICAL(). */
static struct held_lock {
	const void *word; /* the section's; NULL: none */
	uint32_t given;   /* number of releases */
} __attribute__((aligned(CACHE_LINE))) held_locks[HELD_LOCKS];

static inline struct held_lock *held_place(const void *lock)
{
	uint64_t key = (uintptr_t)lock * 0x9e3779b97f4a7c15u;

	return &held_locks[(key >> 40) % HELD_LOCKS];
}

static inline void mark_lock_given_back(const void *lock)
{
	struct held_lock *held = held_place(lock);

	if (__atomic_load_n(&held->word, __ATOMIC_RELAXED) != lock)
		return;
	__atomic_store_n(&held->given, held->given + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&held->word, NULL, __ATOMIC_RELEASE);
}

/* By the same runtime. */
#define had(name, lock)                                                        \
	(((int (*)(void *))runtime_next(ROW_##name, CALLER, &known))(lock)     \
		 ? LOCK_HAD                                                    \
		 : LOCK_TAKEN)

/*
 * A free lock is taken without a stamp.  A stamp while it is held would make
 * others wait for longer: twice as long where two threads do nothing else.
 */
#define LOCK(name, kind, lock, parameters, arguments, try)                     \
	PUBLIC void name parameters;                                           \
	void name parameters                                                   \
	{                                                                      \
		bool known, waits;                                             \
		void(*next) parameters =                                       \
			runtime_next(ROW_##name, CALLER, &known);              \
		enum lock_try tried = known ? (try) : LOCK_UNKNOWN;            \
		struct lock_wait w;                                            \
                                                                               \
		lock_note_taken(&taken, lock, FRAME);                          \
		if (tried == LOCK_HAD)                                         \
			return;                                                \
		waits = copse_team_wait(TEAM_LOCK);                            \
		w.since = 0;                                                   \
		if (tried == LOCK_TAKEN)                                       \
			copse_lock_wait(&w, lock, LOCK_##kind, FRAME);         \
		next arguments;                                                \
		copse_lock_go_on(&w, true);                                    \
		copse_team_go_on(waits);                                       \
	}

/*
 * LLVM's critical sections cannot be tried: the holder enters the section's
 * word in held_locks until it releases it.  If two sections share a place, the
 * last holder's is there.  Two threads that ask at once both find the section
 * free; one of them sees by `given` that it was released meanwhile.
 */
#define CRITICAL(name, kind, lock, parameters, arguments)                      \
	PUBLIC void name parameters;                                           \
	void name parameters                                                   \
	{                                                                      \
		bool known;                                                    \
		void(*next) parameters =                                       \
			runtime_next(ROW_##name, CALLER, &known);              \
		struct held_lock *held = held_place(lock);                     \
		uint32_t given =                                               \
			__atomic_load_n(&held->given, __ATOMIC_ACQUIRE);       \
		struct lock_wait w;                                            \
                                                                               \
		lock_note_taken(&taken, lock, FRAME);                          \
		w.since = 0;                                                   \
		if (__atomic_load_n(&held->word, __ATOMIC_RELAXED) == (lock))  \
			copse_lock_wait(&w, lock, LOCK_##kind, FRAME);         \
		else if (!lock_contended_find(lock))                           \
			ompt_free = (struct ompt_free){ &held->given, given }; \
		next arguments;                                                \
		ompt_free.given = NULL;                                        \
		__atomic_store_n(&held->word, lock, __ATOMIC_RELAXED);         \
		copse_lock_go_on(&w, true);                                    \
	}
#define UNLOCK(name, kind, lock, parameters, arguments)                        \
	PUBLIC void name parameters;                                           \
	void name parameters                                                   \
	{                                                                      \
		bool known;                                                    \
		void(*next) parameters =                                       \
			runtime_next(ROW_##name, CALLER, &known);              \
		struct contended *c = lock_contended_find(lock);               \
		uint64_t ns;                                                   \
                                                                               \
		mark_lock_given_back(lock);                                    \
		if (__builtin_expect(!c || !lock_contended_now(c), 1)) {       \
			next arguments;                                        \
			return;                                                \
		}                                                              \
		ns = copse_lock_release(c);                                    \
		next arguments;                                                \
		copse_lock_blame(c, LOCK_##kind, ns, FRAME,                    \
				 lock_taken_inside(&taken, lock, FRAME));      \
	}
#include "openmp/functions.def"
