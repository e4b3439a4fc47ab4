/* SPDX-License-Identifier: BSD-3-Clause */
/* locks.c - nanoseconds of taking what is free, and giving it back. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>

enum {
	TIMES = 20000000
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

#define MEASURE(name, take, give)                                              \
	do {                                                                   \
		double since = now_ns();                                       \
                                                                               \
		for (int i = 0; i < TIMES; i++) {                              \
			take;                                                  \
			give;                                                  \
		}                                                              \
		printf("%s %.2f\n", name, (now_ns() - since) / TIMES);         \
	} while (0)

static void *nothing(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t thread;

	/* From now on the C library locks for several. */
	pthread_create(&thread, NULL, nothing, NULL);
	pthread_join(thread, NULL);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&semaphore, 0, 0);
	MEASURE("mutex", pthread_mutex_lock(&mutex),
		pthread_mutex_unlock(&mutex));
	MEASURE("rwlock-read", pthread_rwlock_rdlock(&rwlock),
		pthread_rwlock_unlock(&rwlock));
	MEASURE("rwlock-write", pthread_rwlock_wrlock(&rwlock),
		pthread_rwlock_unlock(&rwlock));
	MEASURE("spin-lock", pthread_spin_lock(&spin),
		pthread_spin_unlock(&spin));
	MEASURE("semaphore", sem_post(&semaphore), sem_wait(&semaphore));
	return 0;
}
