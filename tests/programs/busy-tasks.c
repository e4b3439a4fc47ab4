/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * busy-tasks.c - ten rounds: a stretch that one thread does alone, a region
 * whose work is tasks that both threads do at its end, one in which a thread
 * waits for a task that the other one does, and locks that one holds while the
 * other wants them.  The truths are elapsed times, so they hold for those who
 * lack a core, too.
 */
#include <omp.h>

#include "known.h"

#define ROUNDS 10
#define SHARE  0.01 /* seconds */
#define PIECES 8

static double alone, inside, in_tasks, in_waits, for_locks;

static void busy(double s)
{
	double until = elapsed_seconds() + s;

	while (elapsed_seconds() < until)
		;
}

static KEPT void serial(double s)
{
	busy(s);
}

static KEPT void in_piece(double s)
{
	double begun = elapsed_seconds(), took;

	busy(s);
	took = elapsed_seconds() - begun;
#pragma omp atomic
	in_tasks += took;
}

/* Some pieces make the next one. */
static void piece(int left)
{
#pragma omp task firstprivate(left)
	{
		in_piece(SHARE / PIECES);
		if (left > 1)
			piece(left - 1);
	}
}

static KEPT void make_pieces(void)
{
	for (int i = 0; i < PIECES; i++)
		piece(2);
}

static void pieces(void)
{
	double begun = elapsed_seconds();

#pragma omp parallel num_threads(2)
#pragma omp single nowait
	make_pieces();
	inside += elapsed_seconds() - begun;
}

/* The one that the other thread does, before this one waits for it. */
static void waits(void)
{
	double begun = elapsed_seconds();
	int taken = 0;

#pragma omp parallel num_threads(2)
#pragma omp master
	{
		int now = 0;
		double at;

#pragma omp task shared(taken)
		{
#pragma omp atomic write
			taken = 1;
			in_piece(SHARE);
		}
		while (!now) {
#pragma omp atomic read
			now = taken;
		}
		at = elapsed_seconds();
#pragma omp taskwait
		in_waits += elapsed_seconds() - at;
	}
	inside += elapsed_seconds() - begun;
}

static omp_lock_t lock;
static int turn; /* 1: it is held, 2: and somebody is about to want it */

static void say_turn(int now)
{
#pragma omp atomic write
	turn = now;
}

static void await_turn(int wanted)
{
	int now = -1;

	while (now != wanted) {
#pragma omp atomic read
		now = turn;
	}
}

/* Until the other one has waited for a while. */
static void hold(void)
{
	say_turn(1);
	await_turn(2);
	busy(SHARE / 2);
}

static KEPT void hold_section(void)
{
#pragma omp critical(section)
	hold();
}

static KEPT void hold_lock(void)
{
	omp_set_lock(&lock);
	hold();
	omp_unset_lock(&lock);
}

static KEPT double want_section(void)
{
	double at = elapsed_seconds();

#pragma omp critical(section)
	at = elapsed_seconds() - at;
	return at;
}

static KEPT double want_lock(void)
{
	double at = elapsed_seconds();

	omp_set_lock(&lock);
	at = elapsed_seconds() - at;
	omp_unset_lock(&lock);
	return at;
}

static void locks(void)
{
	double begun = elapsed_seconds(), waited = 0;

#pragma omp parallel num_threads(2) reduction(+ : waited)
	for (int i = 0; i < 2; i++) {
#pragma omp barrier
		if (omp_get_thread_num()) {
			i ? hold_lock() : hold_section();
		} else {
			await_turn(1);
			say_turn(2);
			waited += i ? want_lock() : want_section();
		}
	}
	for_locks += waited;
	inside += elapsed_seconds() - begun;
}

int main(void)
{
	omp_init_lock(&lock);
	for (int i = 0; i < ROUNDS; i++) {
		double begun = elapsed_seconds();

		serial(SHARE);
		alone += elapsed_seconds() - begun;
		pieces();
		waits();
		locks();
	}
	truth("alone", alone);
	truth("inside", inside);
	truth("tasks", in_tasks);
	truth("waits", in_waits);
	truth("locks", for_locks);
	return 0;
}
