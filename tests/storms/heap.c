/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap.c - allocates what is sampled nearly each time (copse run --heap), where
 * it is dangerous: in a handler that interrupts an allocation and may leave it
 * by a jump, in children of fork and vfork, and in threads that end.  With the
 * allocator of safe-alloc.c.
 */
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#include "jump.h"

enum {
	BYTES = 300007 /* safe-alloc.c knows it */
};

static void *volatile kept[64];
static pthread_key_t key;

static KEPT void allocates(void)
{
	static volatile unsigned int turn;
	unsigned int at = turn++ % 64;
	char *block = malloc(BYTES);

	if (!block)
		storm_broken("malloc");
	*block = 1;
	free(kept[at]);
	kept[at] = at % 2 ? block : realloc(block, 2 * (size_t)BYTES);
}

static KEPT void allocates_in_handler(void)
{
	char *block = calloc(1, BYTES);

	if (!block || *block)
		storm_broken("calloc");
	free(block);
}

static KEPT void allocates_after_vfork(void)
{
	int status = 0;
	pid_t pid = vfork();

	if (!pid) {
		free(malloc(BYTES));
		_exit(3);
	}
	if (pid > 0 &&
	    (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 3))
		storm_broken("vfork");
}

static KEPT void allocates_in_child(void)
{
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		for (int i = 0; i < 64; i++) {
			free(kept[i]);
			kept[i] = malloc(BYTES);
		}
		_exit(4);
	}
	if (pid > 0 &&
	    (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != 4))
		storm_broken("fork");
}

static void at_thread_end(void *block)
{
	free(block);
	free(malloc(BYTES));
}

static void *allocates_in_thread(void *unused)
{
	pthread_setspecific(key, malloc(BYTES));
	for (int i = 0; i < 100; i++)
		free(malloc(BYTES));
	return unused;
}

static void *makes_threads(void *unused)
{
	while (storm_lasts()) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, allocates_in_thread, NULL))
			storm_broken("pthread_create");
		pthread_join(thread, NULL);
	}
	return unused;
}

static void *makes_children(void *unused)
{
	while (storm_lasts()) {
		allocates_in_child();
		allocates_after_vfork();
	}
	return unused;
}

static void *is_left_by_jumps(void *unused)
{
	jump_begins(allocates_in_handler);
	while (storm_lasts()) {
		jump_out_of(allocates);
		afterwards();
	}
	jump_ends();
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { is_left_by_jumps, makes_children,
					 makes_threads };

	storm_begins(argc, argv);
	pthread_key_create(&key, at_thread_end);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
