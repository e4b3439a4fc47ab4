/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread-names.c - threads that get names, after they have begun and by others,
 * and some that get none.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

#include "known.h"

enum {
	WORKERS = 4,
	OTHERS = 2
};

static pthread_barrier_t named;

static KEPT void *serve(void *unused)
{
	known_work();
	pthread_barrier_wait(&named);
	for (int i = 0; i < 3000; i++)
		known_work();
	return unused;
}

static KEPT void *compute(void *unused)
{
	for (int i = 0; i < 3000; i++)
		known_work();
	prctl(PR_SET_NAME, "\033[31m,\"<b>\n\xff");
	return unused;
}

int main(void)
{
	pthread_t workers[WORKERS], others[OTHERS];

	pthread_barrier_init(&named, NULL, WORKERS + 1);
	for (int i = 0; i < WORKERS; i++) {
		char name[16];

		pthread_create(&workers[i], NULL, serve, NULL);
		snprintf(name, sizeof(name), "io-worker-%d", 8 + i);
		pthread_setname_np(workers[i], name);
	}
	for (int i = 0; i < OTHERS; i++)
		pthread_create(&others[i], NULL, compute, NULL);
	pthread_barrier_wait(&named);
	for (int i = 0; i < 3000; i++)
		known_work();
	for (int i = 0; i < WORKERS; i++)
		pthread_join(workers[i], NULL);
	for (int i = 0; i < OTHERS; i++)
		pthread_join(others[i], NULL);
	pthread_setname_np(pthread_self(), "the-last-name");
	return 0;
}
