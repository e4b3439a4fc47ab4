/* SPDX-License-Identifier: BSD-3-Clause */
/* lock-comes.c - a library whose locks are there while it is: it takes them as
 * it is loaded, by work(), and as it goes. */
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static long sum;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_rwlock_wrlock(&table);
		sum++;
		pthread_rwlock_unlock(&table);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static void both(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], 0, add, 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], 0);
}

__attribute__((constructor)) static void come(void)
{
	both();
}

__attribute__((destructor)) static void go(void)
{
	both();
}

long work(void)
{
	both();
	return sum;
}
