/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stacks.c - threads on memory of the program's own, hardly larger than the
 * least, given back as soon as they have ended; and tasks made by clone(),
 * which the thread library does not know.
 */
#include <limits.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "storm.h"

enum {
	ROOM = 32 << 10
};

static void *new_stack(void)
{
	void *stack = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		storm_broken("mmap");
	return stack;
}

static KEPT void *on_own_stack(void *result)
{
	for (int i = 0; i < 5; i++)
		known_work();
	return result;
}

static void *threads(void *unused)
{
	while (storm_lasts()) {
		void *stack = new_stack(), *result;
		pthread_attr_t attr;
		pthread_t thread;

		pthread_attr_init(&attr);
		if (pthread_attr_setstack(&attr, stack, ROOM) ||
		    pthread_create(&thread, &attr, on_own_stack, stack) ||
		    pthread_join(thread, &result) || result != stack)
			storm_broken("a thread on its own stack");
		pthread_attr_destroy(&attr);
		munmap(stack, ROOM);
	}
	return unused;
}

/* Shares our memory, and our thread's place for its own variables. */
static KEPT int task(void *number)
{
	__atomic_fetch_add((int *)number, 1, __ATOMIC_RELAXED);
	return 0;
}

static KEPT void cloned(void)
{
	int ran = 0, status;
	char *stack = new_stack();
	pid_t pid = clone(task, stack + ROOM,
			  CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				  SIGCHLD,
			  &ran);

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status || ran != 1)
		storm_broken("clone");
	munmap(stack, ROOM);
}

static void *tasks(void *unused)
{
	while (storm_lasts())
		cloned();
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const all[])(void *) = { threads, threads, tasks };

	storm_begins(argc, argv);
	storm_threads(all, STORM_COUNT(all));
	puts("through");
	return 0;
}
