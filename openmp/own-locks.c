/* SPDX-License-Identifier: BSD-3-Clause */
/* own-locks.c - see own-locks.h. */
#include "openmp/own-locks.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "openmp/runtime.h"

enum {
	CANDIDATES = 64
};

/* Mutable: set once, as the adapter is loaded. */
struct own_locks own_locks;

#define next_of(row, type) ((type)runtime_nexts[ROW_##row])

/*
 * Candidates for the section's lock: words that are 1 while it is held, and 0
 * when it is free.
 */
struct lock_search {
	const void *map; /* where libgomp begins */
	const int *at[CANDIDATES];
	size_t count;
};

static void keep_words_that_are_one(struct lock_search *s, const int *at,
				    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (*(const volatile int *)&at[i] != 1)
			continue;
		if (s->count < CANDIDATES)
			s->at[s->count] = &at[i];
		s->count++;
	}
}

static int search_data_of_module(struct dl_phdr_info *info, size_t size,
				 void *to)
{
	struct lock_search *s = to;

	(void)size;
	if (info->dlpi_addr != (uintptr_t)s->map)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t at = info->dlpi_addr + p->p_vaddr;

		at = (at + sizeof(int) - 1) & -sizeof(int);
		if (p->p_type == PT_LOAD && p->p_flags & PF_W)
			keep_words_that_are_one(s, (const int *)at,
						p->p_memsz / sizeof(int));
	}
	return 1;
}

static void keep_zero_words(struct lock_search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (!*(const volatile int *)s->at[i])
			s->at[kept++] = s->at[i];
	s->count = kept;
}

static void *find_critical(void)
{
	void (*start)(void) = next_of(GOMP_critical_start, void (*)(void));
	void (*end)(void) = next_of(GOMP_critical_end, void (*)(void));
	struct lock_search s = { 0 };
	Dl_info info;
	int held;

	if (!start || !end || !dladdr((void *)start, &info))
		return NULL;
	s.map = info.dli_fbase;
	start();
	dl_iterate_phdr(search_data_of_module, &s);
	end();
	if (s.count > CANDIDATES)
		return NULL;
	keep_zero_words(&s);
	if (s.count != 1)
		return NULL;
	start();
	held = *(const volatile int *)s.at[0];
	end();
	return held == 1 && !*(const volatile int *)s.at[0] ? (void *)s.at[0]
							    : NULL;
}

/* Do both pairs of functions take and release the same lock? */
static bool own_lock_works(void *lock, void (*start)(void **),
			   void (*end)(void **))
{
	void (*unset)(void *) = next_of(omp_unset_lock, void (*)(void *));
	bool is;

	if (!unset || !start || !end)
		return false;
	start(lock);
	is = !own_locks.test(lock);
	end(lock);
	if (!is || !own_locks.test(lock))
		return false;
	is = !own_locks.test(lock);
	end(lock); /* unlocks what the other pair locked */
	if (!own_locks.test(lock))
		return false;
	unset(lock);
	return is;
}

static void start_critical(void **unused)
{
	(void)unused;
	next_of(GOMP_critical_start, void (*)(void))();
}

static void end_critical(void **unused)
{
	(void)unused;
	next_of(GOMP_critical_end, void (*)(void))();
}

void own_locks_find(void)
{
	void *word = NULL, *critical;

	own_locks.test = next_of(omp_test_lock, int (*)(void *));
	if (!own_locks.test)
		return;
	own_locks.named = own_lock_works(
		&word, next_of(GOMP_critical_name_start, void (*)(void **)),
		next_of(GOMP_critical_name_end, void (*)(void **)));
	critical = own_locks.named ? find_critical() : NULL;
	if (critical && own_lock_works(critical, start_critical, end_critical))
		own_locks.critical = critical;
}
