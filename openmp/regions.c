/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * regions.c - what the program calls in place of the runtime's functions: the
 * same, with the team between.
 */
#include "collect/omp-team.h"
#include "openmp/own-locks.h"
#include "openmp/runtime.h"

#define LIST(...) __VA_ARGS__

/*
 * In the function that the program called, which is compiled with
 * -fno-omit-frame-pointer.  The runtime is then given copse_team_member() and
 * the team for the program's function and data.
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

/* Each is called by the program itself, so its frame tells by whom. */
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
#define WAIT(name)                                                             \
	PUBLIC void name(void);                                                \
	void name(void)                                                        \
	{                                                                      \
		bool known;                                                    \
		void (*next)(void) = runtime_next(ROW_##name, CALLER, &known); \
		uint64_t since = copse_team_wait();                            \
                                                                               \
		next();                                                        \
		copse_team_go_on(since);                                       \
	}
#define WAIT_TELLS(name)                                                       \
	PUBLIC bool name(void);                                                \
	bool name(void)                                                        \
	{                                                                      \
		bool known;                                                    \
		bool (*next)(void) = runtime_next(ROW_##name, CALLER, &known); \
		uint64_t since = copse_team_wait();                            \
		bool result = next();                                          \
                                                                               \
		copse_team_go_on(since);                                       \
		return result;                                                 \
	}
#define WAIT_FOR(name)                                                         \
	PUBLIC void name(void **of);                                           \
	void name(void **of)                                                   \
	{                                                                      \
		bool known;                                                    \
		void (*next)(void **) =                                        \
			runtime_next(ROW_##name, CALLER, &known);              \
		uint64_t since = copse_team_wait();                            \
                                                                               \
		next(of);                                                      \
		copse_team_go_on(since);                                       \
	}
#define WAIT_GIVES(name)                                                       \
	PUBLIC void *name(void);                                               \
	void *name(void)                                                       \
	{                                                                      \
		bool known;                                                    \
		void *(*next)(void) =                                          \
			runtime_next(ROW_##name, CALLER, &known);              \
		uint64_t since = copse_team_wait();                            \
		void *result = next();                                         \
                                                                               \
		copse_team_go_on(since);                                       \
		return result;                                                 \
	}

/* By the same runtime. */
#define had(row, lock)                                                         \
	(((int (*)(void *))runtime_next(row, CALLER, &known))(lock))

/*
 * What is free is had without a stamp.  A stamp while it is held would make
 * those who want it wait for longer: twice as long, where two threads do
 * nothing else.
 */
#define TRY(name, parameters, arguments, try)                                  \
	PUBLIC void name parameters;                                           \
	void name parameters                                                   \
	{                                                                      \
		bool known;                                                    \
		void(*next) parameters =                                       \
			runtime_next(ROW_##name, CALLER, &known);              \
		uint64_t since;                                                \
                                                                               \
		if (known && (try))                                            \
			return;                                                \
		since = copse_team_wait();                                     \
		next arguments;                                                \
		copse_team_go_on(since);                                       \
	}
#include "openmp/functions.def"
