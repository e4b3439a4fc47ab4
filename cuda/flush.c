/* SPDX-License-Identifier: BSD-3-Clause */
/* flush.c - see flush.h. */
#include "cuda/flush.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "collect/gpu/gpu.h"
#include "cuda/cupti.h"
#include "cuda/pc-samples.h"

enum {
	PERIOD_S = 1, /* so much of a killed process is lost */
};

/* Mutable: what is asked of the thread, and how far it is. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t asked, done;
	bool runs, ended;
	void (*last)(void); /* NULL: it goes on */
	bool _Atomic wanted, forced;
	bool heard; /* atomic */
} flusher = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct timespec time_in_seconds(int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += seconds;
	return t;
}

/* Whether it is the end that was asked for, or the period that is over. */
static bool wait_for_period(void)
{
	struct timespec until = time_in_seconds(PERIOD_S);
	int err = 0;
	bool ends;

	pthread_mutex_lock(&flusher.lock);
	while (!flusher.last && !err)
		err = pthread_cond_timedwait(&flusher.asked, &flusher.lock,
					     &until);
	ends = flusher.last;
	pthread_mutex_unlock(&flusher.lock);
	return ends;
}

/*
 * A program that captures a stream may forbid all threads what could change the
 * capture, which ends it.  Nothing that CUPTI does here can: this thread may.
 */
void flush_prepare(void)
{
	static __thread bool prepared;
	CUresult (*exchange)(CUstreamCaptureMode *);
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;

	copse_gpu_call.own = true;
	if (prepared)
		return;
	prepared = true;
	exchange = (CUresult(*)(CUstreamCaptureMode *))cupti_driver(
		"cuThreadExchangeStreamCaptureMode");
	if (exchange)
		exchange(&mode);
}

/*
 * A buffer with work that has not ended is not delivered, with all that has.
 * So when a reader asks and nothing has ended for a period, as in a job that
 * hangs, all is: work that is under way has no times then.
 */
static void flush_if_asked(void)
{
	static bool asked;

	asked |= copse_gpu_asked();
	if (__atomic_exchange_n(&flusher.heard, false, __ATOMIC_RELAXED) ||
	    !asked)
		return;
	asked = false;
	flusher.forced = true;
	cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	flusher.forced = false;
}

static void *run_flusher(void *unused)
{
	prctl(PR_SET_NAME, "copse-gpu");
	while (!wait_for_period()) {
		if (!flusher.wanted)
			continue;
		flush_prepare();
		pc_samples_take();
		cupti.ActivityFlushAll(0);
		flush_if_asked();
	}
	flusher.last();
	pthread_mutex_lock(&flusher.lock);
	flusher.ended = true;
	pthread_cond_broadcast(&flusher.done);
	pthread_mutex_unlock(&flusher.lock);
	return unused;
}

typedef int create_fn(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		      void *);

/* The C library's own, behind the collector, which would measure it. */
static create_fn *real_create(void)
{
	void *c = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	create_fn *create = NULL;

	if (c) {
		create = (create_fn *)dlsym(c, "pthread_create");
		dlclose(c);
	}
	dlerror(); /* the program shall not see our failures */
	return create ? create : pthread_create;
}

int flush_start_thread(void *(*run)(void *))
{
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = real_create()(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!err)
		pthread_detach(thread);
	return err;
}

int flush_begin(void)
{
	pthread_condattr_t clock;
	int err = pthread_condattr_init(&clock);

	if (!err)
		err = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	if (!err)
		err = pthread_cond_init(&flusher.asked, &clock);
	if (!err)
		err = pthread_cond_init(&flusher.done, &clock);
	if (!err)
		err = flush_start_thread(run_flusher);
	flusher.runs = !err;
	return -err;
}

void flush_heard(void)
{
	__atomic_store_n(&flusher.heard, true, __ATOMIC_RELAXED);
}

bool flush_is_forced(void)
{
	return flusher.forced;
}

void flush_wanted(void)
{
	flusher.wanted = true;
}

/* CUPTI was seen to hang where a kernel does: not with the program's end. */
static bool wait_until_flushed(void (*last)(void), int seconds)
{
	struct timespec until = time_in_seconds(seconds);
	int err = 0;
	bool ended;

	pthread_mutex_lock(&flusher.lock);
	if (!flusher.last)
		flusher.last = last;
	pthread_cond_signal(&flusher.asked);
	while (!flusher.ended && !err)
		err = pthread_cond_timedwait(&flusher.done, &flusher.lock,
					     &until);
	ended = flusher.ended;
	pthread_mutex_unlock(&flusher.lock);
	return ended;
}

bool flush_end(void (*last)(void), int seconds)
{
	sigset_t all, mask;
	bool ended;
	int state;

	if (!flusher.runs)
		return false;
	/* Who left it, cancelled or by a handler, might leave with the lock. */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	ended = wait_until_flushed(last, seconds);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	pthread_setcancelstate(state, NULL);
	return ended;
}
