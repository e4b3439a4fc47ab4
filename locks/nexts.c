/* SPDX-License-Identifier: BSD-3-Clause */
/* nexts.c - see nexts.h. */
#include "locks/nexts.h"

#include <dlfcn.h>

#include "arch/elf-names.h"

/* The C library's other names of these functions, of an old version. */
#define SAME(ours, name) __asm__(".symver " #ours "," #name "@" GLIBC_FIRST)
#define OTHER_NAME(type, name)                                                 \
	int libc_##name(type *of);                                             \
	SAME(libc_##name, __pthread_##name)
OTHER_NAME(pthread_mutex_t, mutex_lock);
OTHER_NAME(pthread_mutex_t, mutex_trylock);
OTHER_NAME(pthread_mutex_t, mutex_unlock);
OTHER_NAME(pthread_rwlock_t, rwlock_rdlock);
OTHER_NAME(pthread_rwlock_t, rwlock_tryrdlock);
OTHER_NAME(pthread_rwlock_t, rwlock_wrlock);
OTHER_NAME(pthread_rwlock_t, rwlock_trywrlock);
OTHER_NAME(pthread_rwlock_t, rwlock_unlock);

/* Mutable: the functions behind ours are found when the adapter is loaded. */
void *nexts[NEXT_ROWS] = {
#define KNOWN(name) [ROW_pthread_##name] = libc_##name
	KNOWN(mutex_lock),    KNOWN(mutex_trylock),   KNOWN(mutex_unlock),
	KNOWN(rwlock_rdlock), KNOWN(rwlock_wrlock),   KNOWN(rwlock_tryrdlock),
	KNOWN(rwlock_unlock), KNOWN(rwlock_trywrlock)
};

static const char *const names[NEXT_ROWS] = {
#define ROW(name)            [ROW_##name] = #name,
#define WAIT(name, ...)      ROW(name)
#define CONDITION(name, ...) ROW(name)
#define RELEASE(name, ...)   ROW(name)
#include "locks/interposed.def"
	NEXTS_ASKED(ROW)
};

/* Conditions of the new version are not those of old programs. */
void *nexts_find(enum next_row row)
{
	bool versioned = row == ROW_pthread_cond_wait ||
			 row == ROW_pthread_cond_timedwait;
	void *found = versioned
			      ? dlvsym(RTLD_NEXT, names[row], GLIBC_CONDITIONS)
			      : dlsym(RTLD_NEXT, names[row]);

	if (found)
		nexts[row] = found;
	return nexts[row];
}
