/* SPDX-License-Identifier: BSD-3-Clause */
/* work.c - a few threads and a turnstile. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "merge/work.h"

enum {
	THREADS_MOST = 64
};

struct working {
	const struct work *work;
	pthread_mutex_t lock;
	pthread_cond_t turned;
	size_t begun, turn; /* the next to make, the next to take */
	int err;
	char reason[512];
};

static unsigned int cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

/* With the lock: the first one counts. */
static void note(struct working *w, int err)
{
	if (!err || w->err)
		return;
	w->err = err;
	snprintf(w->reason, sizeof(w->reason), "%s", fail_reason());
}

static void drop(const struct work *work, void *item)
{
	if (work->drop)
		work->drop(item);
}

/* In turn, which keeps the others out; *taken: it may be finished. */
static int take_one(const struct work *work, size_t i, void *item, bool *taken)
{
	int err = work->take(work->of, i, item);

	*taken = !err && work->finish;
	if (err && work->finish)
		drop(work, item);
	return err;
}

static int finish_one(const struct work *work, size_t i, void *item)
{
	int err = work->finish(work->of, i, item);

	drop(work, item);
	return err;
}

/* Behind a failure nothing is taken. */
static void do_one(struct working *w, size_t i)
{
	const struct work *work = w->work;
	bool taken = false, failed;
	void *item = NULL;
	int err = work->make(work->of, i, &item);

	pthread_mutex_lock(&w->lock);
	while (w->turn != i)
		pthread_cond_wait(&w->turned, &w->lock);
	failed = w->err;
	pthread_mutex_unlock(&w->lock);
	if (!err && failed)
		drop(work, item);
	else if (!err)
		err = take_one(work, i, item, &taken);
	pthread_mutex_lock(&w->lock);
	note(w, err);
	w->turn++;
	pthread_cond_broadcast(&w->turned);
	pthread_mutex_unlock(&w->lock);
	if (!taken)
		return;
	err = finish_one(work, i, item);
	pthread_mutex_lock(&w->lock);
	note(w, err);
	pthread_mutex_unlock(&w->lock);
}

static void *work_thread(void *at)
{
	struct working *w = at;

	pthread_mutex_lock(&w->lock);
	while (w->begun < w->work->count && !w->err) {
		size_t i = w->begun++;

		pthread_mutex_unlock(&w->lock);
		do_one(w, i);
		pthread_mutex_lock(&w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* The threads get no signals: those are for the one that was there before. */
static size_t start(struct working *w, pthread_t *threads, size_t count)
{
	sigset_t all, before;
	size_t n = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (n < count && !pthread_create(&threads[n], NULL, work_thread, w))
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

int work_run(const struct work *work, unsigned int wanted)
{
	struct working w = { .work = work,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .turned = PTHREAD_COND_INITIALIZER };
	pthread_t threads[THREADS_MOST];
	size_t count = wanted ? wanted : cores();

	count = count < THREADS_MOST ? count : THREADS_MOST;
	count = count < work->count ? count : work->count;
	count = count ? start(&w, threads, count - 1) : 0;
	work_thread(&w); /* this one works, too */
	while (count)
		pthread_join(threads[--count], NULL);
	return w.err ? fail(w.err, "%s", w.reason) : 0;
}
