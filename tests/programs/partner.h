/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * partner.h - what the programs that block share: a second thread that does
 * something a little later, when the first one is in its system call; threads
 * that burn CPU meanwhile; and time.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "known.h"

#define LITTLE_NS 300000
static const struct timespec little = { 0, LITTLE_NS };

static struct {
	sem_t go, done;
	void (*act)(void);
} partner;

static inline uint64_t time_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* A little from now. */
static inline struct timespec soon(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += LITTLE_NS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

static inline void *partner_main(void *unused)
{
	for (;;) {
		sem_wait(&partner.go);
		nanosleep(&little, NULL);
		partner.act();
		sem_post(&partner.done);
	}
	return unused;
}

static inline void *burn(void *unused)
{
	for (;;)
		known_work();
	return unused;
}

/* Others than the first thread take no signal of the program. */
static inline bool start_threads(int burners)
{
	pthread_t thread;
	sigset_t all, old;
	int err = 0;

	sem_init(&partner.go, 0, 0);
	sem_init(&partner.done, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	err |= pthread_create(&thread, NULL, partner_main, NULL);
	while (burners-- > 0)
		err |= pthread_create(&thread, NULL, burn, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return !err;
}

/* The partner will do this in a little while; later_done() waits for it. */
static inline void later(void (*act)(void))
{
	partner.act = act;
	sem_post(&partner.go);
}

static inline void later_done(void)
{
	while (sem_wait(&partner.done))
		;
}
