/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sanitized.c [good|freed|leaked] - threads that allocate, for compilers'
 * sanitizers; then memory is read that was freed, or is never freed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 3

static __thread volatile int sink;

static void *work(void *unused)
{
	for (int i = 0; i < 100000; i++) {
		char *memory = malloc(64 + i % 1000);

		memset(memory, i, 64);
		sink = memory[i % 64];
		free(memory);
	}
	return unused;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "good";
	char *volatile memory = malloc(10);
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts(what);
	fflush(stdout);
	if (strcmp(what, "leaked") != 0)
		free(memory);
	if (!strcmp(what, "freed"))
		sink = memory[3];
	memory = NULL;
	return 3;
}
