/* SPDX-License-Identifier: BSD-3-Clause */
/* lock-old.c - conditions as programs of before 2003 have them. */
#include <pthread.h>
#include <stdio.h>

#define OLD(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
OLD(pthread_cond_init);
OLD(pthread_cond_wait);
OLD(pthread_cond_timedwait);
OLD(pthread_cond_signal);
OLD(pthread_cond_broadcast);
OLD(pthread_cond_destroy);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed[2] = { PTHREAD_COND_INITIALIZER };
static int turn;

static void *takes_turns(void *of)
{
	int mine = *(int *)of;

	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&mutex);
		while (turn % 2 != mine)
			pthread_cond_wait(&changed[0], &mutex);
		turn++;
		pthread_cond_broadcast(&changed[0]);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

int main(void)
{
	struct timespec past = { 1, 0 };
	int numbers[2] = { 0, 1 };
	pthread_t threads[2];
	int late;

	pthread_cond_init(&changed[1], NULL);
	pthread_mutex_lock(&mutex);
	late = pthread_cond_timedwait(&changed[1], &mutex, &past);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, takes_turns, &numbers[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_cond_destroy(&changed[1]);
	printf("turn %d, late %d\n", turn, late);
	return 0;
}
