/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cancel.c - threads that are cancelled at any instruction, or where they
 * wait, and threads that leave from the middle of their calls; what they have
 * to clean up is cleaned up.
 */
#include <semaphore.h>

#include "storm.h"

static int cleaned;

static void clean(void *unused)
{
	(void)unused;
	__atomic_fetch_add(&cleaned, 1, __ATOMIC_RELAXED);
}

static KEPT void leave(int depth)
{
	if (!depth)
		pthread_exit(&cleaned);
	leave(depth - 1);
	known_sink += depth;
}

static KEPT void *leaves(void *started)
{
	sem_post(started);
	pthread_cleanup_push(clean, NULL);
	leave(20);
	pthread_cleanup_pop(0);
	return NULL;
}

static KEPT void *spins(void *started)
{
	pthread_cleanup_push(clean, NULL);
	sem_post(started);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (;;)
		known_work();
	pthread_cleanup_pop(0);
	return NULL;
}

static KEPT void *waits(void *started)
{
	pthread_cleanup_push(clean, NULL);
	sem_post(started);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return NULL;
}

/* After a time that is another one each time. */
static void cancel_soon(pthread_t thread)
{
	for (long i = lrand48() % 32; i; i--)
		known_work();
	pthread_cancel(thread);
}

static void one(void *(*function)(void *), void *expected)
{
	int before = cleaned;
	pthread_t thread;
	sem_t started;
	void *result;

	sem_init(&started, 0, 0);
	if (pthread_create(&thread, NULL, function, &started))
		storm_broken("pthread_create");
	while (sem_wait(&started))
		;
	if (expected == PTHREAD_CANCELED)
		cancel_soon(thread);
	if (pthread_join(thread, &result) || result != expected ||
	    cleaned != before + 1)
		storm_broken("cancellation");
	sem_destroy(&started);
}

int main(int argc, char **argv)
{
	storm_begins(argc, argv);
	while (storm_lasts()) {
		one(leaves, &cleaned);
		one(spins, PTHREAD_CANCELED);
		one(waits, PTHREAD_CANCELED);
	}
	puts("through");
	return 0;
}
