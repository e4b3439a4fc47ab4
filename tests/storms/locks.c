/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * locks.c - locks of all kinds, taken by all ways that threads have, and given
 * back in all ways: each call has to have the result that it has alone.
 */
#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>

#include "storm.h"

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t recursive, checked, inherits;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t of_never = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t at_fork = PTHREAD_MUTEX_INITIALIZER;
static long guarded[6];
static long counted[6];

static void is(int result, int expected, const char *what)
{
	if (result != expected)
		storm_broken(what);
}

static pthread_mutex_t *new_mutex(pthread_mutex_t *to, int type, int protocol,
				  int robust)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, type);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutexattr_setrobust(&attributes, robust);
	is(pthread_mutex_init(to, &attributes), 0, "pthread_mutex_init");
	return to;
}

static struct timespec in_ns(clockid_t clock, long ns)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ns;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static KEPT void count(int which)
{
	guarded[which]++;
	for (volatile int i = 0; i < 20; i++)
		;
	__atomic_fetch_add(&counted[which], 1, __ATOMIC_RELAXED);
}

static KEPT void lock_mutexes(void)
{
	is(pthread_mutex_lock(&plain), 0, "lock");
	count(0);
	is(pthread_mutex_unlock(&plain), 0, "unlock");
	if (!pthread_mutex_trylock(&plain)) {
		count(0);
		is(pthread_mutex_unlock(&plain), 0, "unlock");
	}
	for (int i = 0; i < 3; i++)
		is(pthread_mutex_lock(&recursive), 0, "lock again");
	count(1);
	for (int i = 0; i < 3; i++)
		is(pthread_mutex_unlock(&recursive), 0, "unlock again");
	is(pthread_mutex_unlock(&recursive), EPERM, "unlock of none");
	is(pthread_mutex_lock(&checked), 0, "checked lock");
	is(pthread_mutex_lock(&checked), EDEADLK, "deadlock");
	count(2);
	is(pthread_mutex_unlock(&checked), 0, "checked unlock");
	is(pthread_mutex_lock(&inherits), 0, "lock of a priority");
	count(3);
	is(pthread_mutex_unlock(&inherits), 0, "unlock of a priority");
}

static KEPT void lock_others(void)
{
	is(pthread_rwlock_rdlock(&table), 0, "rdlock");
	known_sink += (double)guarded[4];
	is(pthread_rwlock_unlock(&table), 0, "read unlock");
	is(pthread_rwlock_wrlock(&table), 0, "wrlock");
	is(pthread_rwlock_wrlock(&table), EDEADLK, "wrlock again");
	count(4);
	is(pthread_rwlock_unlock(&table), 0, "write unlock");
	is(pthread_spin_lock(&spin), 0, "spin lock");
	count(5);
	is(pthread_spin_unlock(&spin), 0, "spin unlock");
}

static KEPT void lock_for_a_time(void)
{
	struct timespec real = in_ns(CLOCK_REALTIME, 20000), bad = { 0, -1 };
	struct timespec mono = in_ns(CLOCK_MONOTONIC, 20000);
	sem_t none;
	int err = pthread_mutex_timedlock(&plain, &real);

	if (!err)
		pthread_mutex_unlock(&plain);
	else
		is(err, ETIMEDOUT, "timedlock");
	err = pthread_mutex_clocklock(&plain, CLOCK_MONOTONIC, &mono);
	if (!err)
		pthread_mutex_unlock(&plain);
	else
		is(err, ETIMEDOUT, "clocklock");
	is(pthread_mutex_clocklock(&plain, 77, &mono), EINVAL, "bad clock");
	err = pthread_rwlock_timedwrlock(&table, &real);
	if (!err)
		pthread_rwlock_unlock(&table);
	else
		is(err, ETIMEDOUT, "timedwrlock");
	sem_init(&none, 0, 1);
	errno = 0;
	is(sem_timedwait(&none, &bad), -1, "bad time");
	is(errno, EINVAL, "errno of a bad time");
	errno = 77;
	is(sem_wait(&none), 0, "sem_wait");
	is(errno, 77, "errno of sem_wait");
	is(sem_timedwait(&none, &real), -1, "sem_timedwait");
	is(errno, ETIMEDOUT, "errno of sem_timedwait");
}

static void *in_turn(void *unused)
{
	while (storm_lasts()) {
		lock_mutexes();
		lock_others();
		lock_for_a_time();
	}
	return unused;
}

/* A robust mutex whose owner has ended says so, once. */
static void *dies(void *mutex)
{
	is(pthread_mutex_lock(mutex), 0, "robust lock");
	return NULL;
}

static void *waits_for_dead(void *mutex)
{
	int err = pthread_mutex_lock(mutex);

	if (err == EOWNERDEAD)
		err = pthread_mutex_consistent(mutex);
	is(err, 0, "robust lock of the dead");
	is(pthread_mutex_unlock(mutex), 0, "robust unlock");
	return NULL;
}

static KEPT void *owners_die(void *unused)
{
	while (storm_lasts()) {
		pthread_mutex_t robust;
		pthread_t first, others[2];

		new_mutex(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_NONE,
			  PTHREAD_MUTEX_ROBUST);
		pthread_create(&first, NULL, dies, &robust);
		for (int i = 0; i < 2; i++)
			pthread_create(&others[i], NULL, waits_for_dead,
				       &robust);
		pthread_join(first, NULL);
		for (int i = 0; i < 2; i++)
			pthread_join(others[i], NULL);
		waits_for_dead(&robust);
		pthread_mutex_destroy(&robust);
	}
	return unused;
}

/* Each is cancelled where it waits, and has cleaned up. */
static void unlock(void *mutex)
{
	is(pthread_mutex_unlock(mutex), 0, "unlock of the cancelled");
}

static void *in_condition(void *started)
{
	pthread_mutex_lock(&of_never);
	pthread_cleanup_push(unlock, &of_never);
	sem_post(started);
	for (;;)
		pthread_cond_wait(&never, &of_never);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *in_semaphore(void *started)
{
	sem_t none;

	sem_init(&none, 0, 0);
	sem_post(started);
	while (sem_wait(&none))
		;
	return NULL;
}

/* It never waits, and is cancelled nevertheless. */
static void *beside_semaphore(void *started)
{
	sem_t full;

	sem_init(&full, 0, 0);
	sem_post(started);
	for (;;) {
		sem_post(&full);
		sem_wait(&full);
	}
	return NULL;
}

static KEPT void *cancelled(void *unused)
{
	static void *(*const ways[])(void *) = { in_condition, in_semaphore,
						 beside_semaphore };

	while (storm_lasts()) {
		for (int i = 0; i < STORM_COUNT(ways); i++) {
			pthread_t thread;
			sem_t started;
			void *result;

			sem_init(&started, 0, 0);
			pthread_create(&thread, NULL, ways[i], &started);
			while (sem_wait(&started))
				;
			pthread_cancel(thread);
			pthread_join(thread, &result);
			is(result == PTHREAD_CANCELED, 1, "cancellation");
		}
		is(pthread_mutex_lock(&of_never), 0, "lock after it");
		pthread_mutex_unlock(&of_never);
	}
	return unused;
}

static void before_fork(void)
{
	pthread_mutex_lock(&at_fork);
}

static void after_fork(void)
{
	is(pthread_mutex_unlock(&at_fork), 0, "unlock after fork");
}

static void *busy_at_fork(void *unused)
{
	while (storm_lasts()) {
		pthread_mutex_lock(&at_fork);
		known_work();
		pthread_mutex_unlock(&at_fork);
	}
	return unused;
}

/* Others hold and want locks meanwhile; the child has those that are for it. */
static KEPT void *forks(void *unused)
{
	while (storm_lasts()) {
		pid_t child = fork();
		int status;

		if (!child) {
			is(pthread_mutex_lock(&at_fork), 0, "lock in a child");
			pthread_mutex_unlock(&at_fork);
			_exit(0);
		}
		while (waitpid(child, &status, 0) < 0)
			;
		is(status, 0, "child");
	}
	return unused;
}

/* A handler without SA_RESTART ends sem_wait(), nothing else does. */
static volatile sig_atomic_t signals;

static void on_signal(int signal)
{
	(void)signal;
	signals++;
}

static KEPT void *interrupted(void *unused)
{
	struct timespec soon = { 0, 30000 }, again = { 0, 300000 };
	sem_t none;

	sem_init(&none, 0, 0);
	while (storm_lasts()) {
		struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
					  .sigev_signo = SIGUSR2 };
		struct itimerspec often = { .it_value = soon,
					    .it_interval = again };
		struct timespec late = in_ns(CLOCK_REALTIME, 0);
		int before = signals;
		timer_t timer;

		late.tv_sec += 60; /* a thread may have no core for one */
		event._sigev_un._tid = gettid();
		if (timer_create(CLOCK_MONOTONIC, &event, &timer))
			storm_broken("timer_create");
		timer_settime(timer, 0, &often, NULL);
		is(sem_timedwait(&none, &late), -1, "interrupted wait");
		if (errno != EINTR)
			storm_broken("the interruption of sem_timedwait");
		if (signals == before)
			storm_broken("sem_timedwait without a signal");
		timer_delete(timer);
	}
	return unused;
}

/* Threads that come and go, with a barrier and a condition of their own. */
struct meeting {
	pthread_barrier_t barrier;
	pthread_mutex_t mutex; /* it tells who has it */
	pthread_cond_t all;
	sem_t last;
	int came;
};

static void *meets(void *of)
{
	struct meeting *m = of;
	int last;

	is(pthread_mutex_lock(&m->mutex), 0, "meeting lock");
	if (++m->came == 3)
		pthread_cond_broadcast(&m->all);
	while (m->came < 3)
		pthread_cond_wait(&m->all, &m->mutex);
	is(pthread_mutex_unlock(&m->mutex), 0, "unlock behind a condition");
	sem_post(&m->last);
	last = pthread_barrier_wait(&m->barrier);
	return last == PTHREAD_BARRIER_SERIAL_THREAD ? m : NULL;
}

static KEPT void *meetings(void *unused)
{
	while (storm_lasts()) {
		struct meeting m = {
			.mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
			.all = PTHREAD_COND_INITIALIZER
		};
		pthread_t threads[3];
		int last = 0;

		pthread_barrier_init(&m.barrier, NULL, 3);
		sem_init(&m.last, 0, 0);
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, meets, &m);
		errno = 77;
		for (int i = 0; i < 3; i++)
			is(sem_wait(&m.last), 0, "sem_wait for others");
		is(errno, 77, "errno of sem_wait for others");
		for (int i = 0; i < 3; i++) {
			void *result;

			pthread_join(threads[i], &result);
			last += result == &m;
		}
		is(last, 1, "barrier");
		pthread_barrier_destroy(&m.barrier);
	}
	return unused;
}

int main(int argc, char **argv)
{
	static void *(*const functions[])(void *) = {
		in_turn,      in_turn, in_turn,     owners_die, cancelled,
		busy_at_fork, forks,   interrupted, meetings,
	};
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR2, &action, NULL);
	new_mutex(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_PRIO_NONE,
		  PTHREAD_MUTEX_STALLED);
	new_mutex(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_PRIO_NONE,
		  PTHREAD_MUTEX_STALLED);
	new_mutex(&inherits, PTHREAD_MUTEX_NORMAL, PTHREAD_PRIO_INHERIT,
		  PTHREAD_MUTEX_STALLED);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	pthread_atfork(before_fork, after_fork, after_fork);
	storm_begins(argc, argv);
	storm_threads(functions, STORM_COUNT(functions));
	for (int i = 0; i < 6; i++)
		if (guarded[i] != counted[i])
			storm_broken("what a lock guards");
	puts("the locks held");
	return 0;
}
