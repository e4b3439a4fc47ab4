/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jump.h - a thread sends SIGUSR1 to another one, whose handler leaves what it
 * interrupted by a jump.
 */
#pragma once

#include <setjmp.h>
#include <signal.h>

#include "storm.h"

static pthread_t jump_target, jump_sender;
static sigjmp_buf jump_back;
static void (*jump_words)(void);
static volatile sig_atomic_t jump_wanted, jump_over;
static volatile unsigned long jump_count, jump_signals;

static KEPT void jump_on_user(int signum)
{
	(void)signum;
	if (++jump_signals % 3 == 0)
		jump_words();
	if (!jump_wanted)
		return;
	jump_wanted = 0;
	jump_count++;
	siglongjmp(jump_back, 1);
}

static void *jump_send(void *unused)
{
	while (!jump_over) {
		unsigned long before = jump_signals;

		while (!jump_wanted && !jump_over)
			sched_yield();
		pthread_kill(jump_target, SIGUSR1);
		while (jump_signals == before && !jump_over)
			sched_yield();
	}
	return unused;
}

/* From now on the calling thread gets signals when it wants them. */
static inline void jump_begins(void (*words)(void))
{
	struct sigaction action = { .sa_handler = jump_on_user,
				    .sa_flags = SA_RESTART };

	jump_words = words;
	jump_target = pthread_self();
	sigaction(SIGUSR1, &action, NULL);
	if (pthread_create(&jump_sender, NULL, jump_send, NULL))
		storm_broken("pthread_create");
}

static inline void jump_ends(void)
{
	jump_over = 1;
	pthread_join(jump_sender, NULL);
}

/* Does it over and over until a jump is the end of that. */
static KEPT void jump_out_of(void (*what)(void))
{
	if (sigsetjmp(jump_back, 1))
		return;
	jump_wanted = 1;
	while (jump_wanted)
		what();
}

/* What is sampled only when nothing is left as the jump found it. */
static KEPT void afterwards(void)
{
	static volatile unsigned long sum;

	for (int i = 0; i < 200000; i++)
		sum += (unsigned long)i;
}
