/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock-patterns.c - one thread holds a lock while another one waits for it: by
 * all kinds of locks, held in hold_NAME() and wanted in want_NAME().
 *
 *   lock-patterns [ROUNDS [MICROSECONDS]]   says `truth NAME SECONDS` of what
 *                            was waited; so long a lock is held, again and
 *                            again, and rounds are of the one who wants it
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "known.h"

enum {
	HOLD_US = 4000
};

static double hold_s; /* 0: HOLD_US, and the holder sleeps */
static int over;      /* atomic: nobody wants it any more */

static int held; /* atomic: by the holder, of this round */
static double waited;
static int rounds = 12;

static double now_of_pattern(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say_held(int now)
{
	if (now || hold_s <= 0)
		__atomic_store_n(&held, now, __ATOMIC_SEQ_CST);
}

/* Where it is held again and again, that it was held once is enough. */
static void until_held(int now)
{
	while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) != now &&
	       (now || hold_s <= 0))
		sched_yield();
}

static void stay(double us)
{
	double until = now_of_pattern() + us / HOLD_US * hold_s;

	if (hold_s <= 0)
		usleep((useconds_t)us);
	while (now_of_pattern() < until)
		;
}

/* One that is free is no wait. */
static void count_wait(double since)
{
	double took = now_of_pattern() - since;

	if (hold_s <= 0 || took > 1e-6)
		waited += took;
}

/* The last call of each is the one that gives the lock back: a jump. */
#define PATTERN(name, lock, take, sleep_us, give, want, done)                  \
	lock;                                                                  \
	static KEPT void hold_##name(void)                                     \
	{                                                                      \
		take;                                                          \
		say_held(1);                                                   \
		stay(sleep_us);                                                \
		give;                                                          \
	}                                                                      \
	static KEPT void want_##name(void)                                     \
	{                                                                      \
		double since = now_of_pattern();                               \
                                                                               \
		want;                                                          \
		count_wait(since);                                             \
		done;                                                          \
	}

#define MUTEX(name)                                                            \
	PATTERN(name, static pthread_mutex_t name = PTHREAD_MUTEX_INITIALIZER, \
		pthread_mutex_lock(&name), HOLD_US,                            \
		pthread_mutex_unlock(&name), pthread_mutex_lock(&name),        \
		pthread_mutex_unlock(&name))

MUTEX(plain)
PATTERN(heap, static pthread_mutex_t *heap, pthread_mutex_lock(heap), HOLD_US,
	pthread_mutex_unlock(heap), pthread_mutex_lock(heap),
	pthread_mutex_unlock(heap))
MUTEX(recursive)
MUTEX(checked)
MUTEX(adaptive)
MUTEX(inherits)
MUTEX(robust)
PATTERN(writer, static pthread_rwlock_t writer = PTHREAD_RWLOCK_INITIALIZER,
	pthread_rwlock_wrlock(&writer), HOLD_US, pthread_rwlock_unlock(&writer),
	pthread_rwlock_rdlock(&writer), pthread_rwlock_unlock(&writer))
PATTERN(reader, static pthread_rwlock_t reader = PTHREAD_RWLOCK_INITIALIZER,
	pthread_rwlock_rdlock(&reader), HOLD_US, pthread_rwlock_unlock(&reader),
	pthread_rwlock_wrlock(&reader), pthread_rwlock_unlock(&reader))
PATTERN(spinning, static pthread_spinlock_t spinning,
	pthread_spin_lock(&spinning), HOLD_US, pthread_spin_unlock(&spinning),
	pthread_spin_lock(&spinning), pthread_spin_unlock(&spinning))

/* It gives the lock back by waiting for a condition. */
static pthread_cond_t no_condition = PTHREAD_COND_INITIALIZER;

static void wait_for_condition(pthread_mutex_t *mutex)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec += (soon.tv_nsec + 1000000) / 1000000000;
	soon.tv_nsec = (soon.tv_nsec + 1000000) % 1000000000;
	pthread_cond_timedwait(&no_condition, mutex, &soon);
	pthread_mutex_unlock(mutex);
}

PATTERN(condition, static pthread_mutex_t condition = PTHREAD_MUTEX_INITIALIZER,
	pthread_mutex_lock(&condition), HOLD_US, wait_for_condition(&condition),
	pthread_mutex_lock(&condition), pthread_mutex_unlock(&condition))

/* Somebody else holds it too, but not for long. */
MUTEX(shared)

static KEPT void hold_for_less(void)
{
	pthread_mutex_lock(&shared);
	say_held(1);
	stay(HOLD_US / 4);
	pthread_mutex_unlock(&shared);
}

static KEPT void hold_one_of_two(void)
{
	hold_shared();
	until_held(0);
	hold_for_less();
}

static KEPT void want_twice(void)
{
	want_shared();
	say_held(0);
	until_held(1);
	want_shared();
}

static const struct {
	const char *name;
	void (*hold)(void), (*want)(void);
} patterns[] = {
#define ROW(name) { #name, hold_##name, want_##name },
	ROW(plain) ROW(heap) ROW(recursive) ROW(checked) ROW(adaptive)
		ROW(inherits) ROW(robust) ROW(writer) ROW(reader) ROW(spinning)
			ROW(condition){ "shared", hold_one_of_two, want_twice },
};

static void *holder(void *of)
{
	void (*hold)(void) = *(void (**)(void))of;

	for (int i = 0; i < rounds && hold_s <= 0; i++) {
		hold();
		until_held(0);
	}
	while (hold_s > 0 && !__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		hold();
		stay(HOLD_US / 10);
	}
	return NULL;
}

static void make(pthread_mutex_t *mutex, int type, int protocol, int robustness)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robustness);
	pthread_mutex_init(mutex, &attributes);
}

static void make_all(void)
{
	heap = malloc(sizeof(*heap));
	make(heap, PTHREAD_MUTEX_NORMAL, 0, 0);
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, 0, 0);
	make(&checked, PTHREAD_MUTEX_ERRORCHECK, 0, 0);
	make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, 0, 0);
	make(&inherits, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT, 0);
	make(&robust, PTHREAD_MUTEX_NORMAL, 0, PTHREAD_MUTEX_ROBUST);
	pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		rounds = atoi(argv[1]);
	if (argc > 2)
		hold_s = atof(argv[2]) * 1e-6;
	make_all();
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		void (*hold)(void) = patterns[i].hold;
		pthread_t thread;

		waited = 0;
		over = held = 0;
		pthread_create(&thread, NULL, holder, &hold);
		for (int k = 0; k < rounds; k++) {
			until_held(1);
			patterns[i].want();
			say_held(0);
			if (hold_s > 0)
				stay(HOLD_US / 10);
		}
		__atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
		pthread_join(thread, NULL);
		printf("truth %s %.6f\n", patterns[i].name, waited);
	}
	usage();
	return 0;
}
