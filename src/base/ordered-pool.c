/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ordered-pool.c - see ordered-pool.h.
 *
 * Items that are made wait in a ring for their turn, while their thread makes
 * the next.  A thread that finds the next item ready takes it.  No item begins
 * more than a ring ahead of those that are finished, which bounds the memory.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/ordered-pool.h"

enum {
	THREADS_MOST = 64,
	RING_FOR_EACH = 2 /* things of a thread */
};

struct slot {
	void *item;
	int err;
	char *reason; /* NULL: out of memory */
	bool made;
};

struct working {
	const struct ordered_work *work;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct slot *ring;
	size_t size;                  /* of the ring */
	size_t begun, turn, finished; /* the next to make, to take, to finish */
	bool taking;
	int err; /* the first, by order */
	char *reason;
};

static unsigned int pool_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

static char *copy_reason(int err)
{
	return err ? strdup(fail_reason()) : NULL;
}

static void drop_item(const struct ordered_work *work, void *item)
{
	if (work->drop)
		work->drop(item);
}

/*
 * All that follow are called with the lock, and give it up while they work.
 */

/* Takes the reason; the first failure counts. */
static void note_error(struct working *w, int err, char *reason)
{
	if (!err || w->err) {
		free(reason);
		return;
	}
	w->err = err;
	w->reason = reason;
	pthread_cond_broadcast(&w->changed);
}

static struct slot *pool_slot(const struct working *w, size_t i)
{
	return &w->ring[i % w->size];
}

static bool may_make_item(const struct working *w)
{
	return !w->err && w->begun < w->work->count &&
	       w->begun < w->finished + w->size;
}

static bool may_take_item(const struct working *w)
{
	return !w->taking && w->turn < w->begun && pool_slot(w, w->turn)->made;
}

static bool may_finish_item(const struct working *w)
{
	return w->finished < w->turn;
}

static bool all_items_done(const struct working *w)
{
	return w->finished == w->begun && !may_make_item(w);
}

static void make_item(struct working *w)
{
	const struct ordered_work *work = w->work;
	size_t i = w->begun++;
	struct slot made = { .made = true };

	pthread_mutex_unlock(&w->lock);
	made.err = work->make(work->of, i, &made.item);
	made.reason = copy_reason(made.err);
	pthread_mutex_lock(&w->lock);
	*pool_slot(w, i) = made;
}

/* Behind a failure nothing is taken.  What was not is finished with no item. */
static void take_item(struct working *w)
{
	const struct ordered_work *work = w->work;
	struct slot *slot = pool_slot(w, w->turn);
	bool failed = w->err;
	int err = slot->err;

	w->taking = true;
	pthread_mutex_unlock(&w->lock);
	if (!err && !failed) {
		err = work->take(work->of, w->turn, slot->item);
		slot->reason = copy_reason(err);
		if (err && work->finish)
			drop_item(work, slot->item);
	} else if (!err) {
		drop_item(work, slot->item);
	}
	pthread_mutex_lock(&w->lock);
	w->taking = false;
	w->turn++;
	slot->made = !err && !failed && work->finish;
	note_error(w, err, slot->reason);
	pthread_cond_signal(&w->changed);
}

static void finish_item(struct working *w)
{
	const struct ordered_work *work = w->work;
	size_t i = w->finished++;
	struct slot slot = *pool_slot(w, i);
	char *reason;
	int err;

	pool_slot(w, i)->made = false;
	if (all_items_done(w))
		pthread_cond_broadcast(&w->changed);
	else
		pthread_cond_signal(&w->changed);
	if (!slot.made)
		return;
	pthread_mutex_unlock(&w->lock);
	err = work->finish(work->of, i, slot.item);
	reason = copy_reason(err);
	drop_item(work, slot.item);
	pthread_mutex_lock(&w->lock);
	note_error(w, err, reason);
}

/* What holds up others comes first. */
static void *work_thread(void *at)
{
	struct working *w = at;

	pthread_mutex_lock(&w->lock);
	while (!all_items_done(w)) {
		if (may_take_item(w))
			take_item(w);
		else if (may_finish_item(w))
			finish_item(w);
		else if (may_make_item(w))
			make_item(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* The threads get no signals: those are for the one that was there before. */
static size_t start_threads(struct working *w, pthread_t *threads, size_t count)
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

static size_t threads_for(const struct ordered_work *work, unsigned int wanted)
{
	size_t count = wanted ? wanted : pool_cores();

	count = count < THREADS_MOST ? count : THREADS_MOST;
	return count < work->count ? count : work->count;
}

int ordered_pool_run(const struct ordered_work *work, unsigned int wanted)
{
	struct working w = { .work = work,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER };
	pthread_t threads[THREADS_MOST];
	size_t count = threads_for(work, wanted);
	int err;

	if (!count)
		return 0;
	w.size = RING_FOR_EACH * count;
	w.ring = calloc(w.size, sizeof(*w.ring));
	if (!w.ring)
		return no_memory();
	count = start_threads(&w, threads, count - 1);
	work_thread(&w); /* this one works, too */
	while (count)
		pthread_join(threads[--count], NULL);
	err = w.err ? fail(w.err, "%s", w.reason ? w.reason : "out of memory")
		    : 0;
	free(w.reason);
	free(w.ring);
	return err;
}
