/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlswap-plugin.c - hot code that comes and goes; HOT is its name.  It may have
 * a thread of its own, which works and then waits for its end.
 */
#include <pthread.h>
#include <semaphore.h>

#include "known.h"

KEPT double HOT(double seconds);
double work(double seconds);
void helper_begin(double seconds);
void helper_end(void);

static pthread_t helper_thread;
static sem_t helper_ends;
static double helper_works;

/*
 * One that works does so for a twentieth of its time at least, also where all
 * take long because others have the cores.
 */
static KEPT void *helper(void *unused)
{
	double begun = elapsed_seconds();

	HOT(helper_works);
	while (sem_wait(&helper_ends))
		;
	if (helper_works > 0)
		HOT((elapsed_seconds() - begun) / 20);
	return unused;
}

void helper_begin(double seconds)
{
	helper_works = seconds;
	sem_init(&helper_ends, 0, 0);
	pthread_create(&helper_thread, NULL, helper, NULL);
}

void helper_end(void)
{
	sem_post(&helper_ends);
	pthread_join(helper_thread, NULL);
}

double HOT(double seconds)
{
	return work_for(seconds);
}

double work(double seconds)
{
	double used = HOT(seconds);

	__asm__ volatile("");
	return used;
}
