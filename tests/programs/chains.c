/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chains.c [SECONDS] - calls functions of many shapes along random chains, and
 * prints each path that it had, seen from itself: "path t_main;t_run;…".
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chains.h"

enum {
	MOST_FRAMES = 512,
	SEEN = 1 << 16,
	CHAINS = 60,
	LENGTH = 9
};

#define NOINLINE __attribute__((noinline))

static __thread const char *shadow[MOST_FRAMES];
static __thread int depth;
static __thread const char *handed; /* to a callback without an argument */
static volatile unsigned int sink;
static uint64_t seen[SEEN];

void enter(const char *name)
{
	shadow[depth++] = name;
}

void leave(void)
{
	depth--;
}

static void print_path(void)
{
	fputs("path ", stdout);
	for (int i = 0; i < depth; i++)
		printf("%s%s", i ? ";" : "", shadow[i]);
	putchar('\n');
}

void work(void)
{
	uint64_t hash = 1469598103934665603u;
	uint32_t i;

	for (int k = 0; k < depth; k++)
		hash = (hash ^ (uintptr_t)shadow[k]) * 1099511628211u;
	for (i = (uint32_t)(hash % SEEN); seen[i]; i = (i + 1) % SEEN)
		if (seen[i] == hash)
			break;
	if (!seen[i])
		print_path();
	seen[i] = hash;
	for (int k = 0; k < 10000; k++)
		sink += (unsigned int)k;
}

#define SHAPE(name) NOINLINE static void name(const char *chain)

#define PLAIN(name)                                                            \
	SHAPE(name)                                                            \
	{                                                                      \
		enter(#name);                                                  \
		work();                                                        \
		go(chain);                                                     \
		leave();                                                       \
	}
PLAIN(t_plain1)
PLAIN(t_plain2)
PLAIN(t_plain3)

NOINLINE static void use(volatile char *room, const char *chain)
{
	room[0] = 1;
	go(chain);
	sink += (unsigned char)room[0];
}

#define WITH_ROOM(name, room)                                                  \
	SHAPE(name)                                                            \
	{                                                                      \
		room;                                                          \
		enter(#name);                                                  \
		work();                                                        \
		use(space, chain);                                             \
		work();                                                        \
		leave();                                                       \
	}
WITH_ROOM(t_alloca, char *space = alloca(strlen(chain) * 40 + 8))
WITH_ROOM(t_aligned, char space[64] __attribute__((aligned(64))))
WITH_ROOM(t_large, char space[20000])
WITH_ROOM(t_aligned_alloca, char even[32] __attribute__((aligned(128))) = "";
	  char *space = alloca(strlen(chain) * 24 + 8); even[chain[0] & 31] = 1;
	  space[1] = even[3])

/* It is not on the stack any more while the next one runs. */
SHAPE(t_tail)
{
	enter("t_tail");
	work();
	leave();
	go(chain);
}

struct jump {
	jmp_buf back;
	const char *chain;
};

__attribute__((noreturn)) NOINLINE static void t_last(struct jump *jump)
{
	enter("t_last");
	work();
	go(jump->chain);
	longjmp(jump->back, 1);
}

/* Its return address is behind its end. */
__attribute__((noreturn)) NOINLINE static void t_ends(struct jump *jump)
{
	enter("t_ends");
	work();
	t_last(jump);
}

SHAPE(t_noreturn)
{
	struct jump jump = { .chain = chain };
	volatile int before = depth;

	enter("t_noreturn");
	if (!setjmp(jump.back))
		t_ends(&jump);
	depth = before + 1;
	work();
	leave();
}

NOINLINE static void t_recurse_by(int n, const char *chain)
{
	enter("t_recurse_by");
	if (n)
		t_recurse_by(n - 1, chain);
	else
		go(chain);
	work();
	leave();
}

SHAPE(t_recurse)
{
	enter("t_recurse");
	t_recurse_by(20, chain);
	work();
	leave();
}

static int t_compare(const void *a, const void *b)
{
	const char *chain = handed;

	enter("t_compare");
	work();
	go(chain);
	leave();
	return *(const char *)a - *(const char *)b;
}

SHAPE(t_sort)
{
	char two[] = { 2, 1 };

	enter("t_sort");
	handed = chain;
	qsort(two, 2, 1, t_compare);
	work();
	leave();
}

static void t_on_signal(int signum)
{
	const char *chain = handed;

	enter("t_on_signal");
	work();
	go(chain);
	sink += (unsigned int)signum;
	leave();
}

SHAPE(t_raise)
{
	enter("t_raise");
	handed = chain;
	raise(SIGUSR1);
	work();
	leave();
}

SHAPE(t_vdso)
{
	struct timespec t;

	enter("t_vdso");
	for (int i = 0; i < 500; i++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		sink += (unsigned int)t.tv_nsec;
	}
	work();
	go(chain);
	leave();
}

#define THROUGH(name, function)                                                \
	SHAPE(name)                                                            \
	{                                                                      \
		enter(#name);                                                  \
		work();                                                        \
		function(go, chain);                                           \
		leave();                                                       \
	}
THROUGH(t_call_library, t_library)
THROUGH(t_call_stripped, t_stripped)

SHAPE(t_leaf)
{
	enter("t_leaf");
	for (int i = 0; i < 10; i++)
		work();
	leave();
	sink += (unsigned int)*chain;
}

static void (*const shapes[])(const char *) = {
	t_plain1,        t_plain2, t_plain3,         t_alloca,
	t_aligned,       t_large,  t_tail,           t_noreturn,
	t_recurse,       t_sort,   t_raise,          t_vdso,
	t_destroy,       t_catch,  t_aligned_alloca, t_call_library,
	t_call_stripped,
#ifdef FORTRAN
	t_fortran,
#endif
};

enum {
	SHAPES = sizeof(shapes) / sizeof(shapes[0])
};

NOINLINE void go(const char *chain)
{
	(*chain ? shapes[*chain - 'a'] : t_leaf)(*chain ? chain + 1 : chain);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The same chains in turn, until the time is over. */
NOINLINE static void t_run(double seconds)
{
	char chain[LENGTH + 1] = "";
	double end = now() + seconds;
	unsigned int random = 1;

	enter("t_run");
	work();
	for (int n = 0; n < CHAINS || now() < end; n++) {
		if (n % CHAINS == 0)
			random = 1;
		for (int i = 0; i < LENGTH; i++) {
			random = random * 1103515245u + 12345u;
			chain[i] = (char)('a' + (random >> 16) % SHAPES);
		}
		go(chain + (random >> 8) % 4);
	}
	leave();
}

static void *t_thread(void *seconds)
{
	static char room[1 << 20];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };

	sigaltstack(&stack, NULL);
	enter("t_thread");
	work();
	t_run(*(double *)seconds);
	leave();
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	struct sigaction action = { .sa_handler = t_on_signal,
				    .sa_flags = SA_ONSTACK | SA_NODEFER };
	static char room[1 << 20];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	pthread_t thread;

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	seconds /= 2;
	t_run(seconds);
	if (pthread_create(&thread, NULL, t_thread, &seconds) ||
	    pthread_join(thread, NULL))
		return 1;
	return 0;
}
