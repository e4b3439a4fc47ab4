/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inject.c - the CUDA driver loads this library when the program first uses
 * it (CUDA_INJECTION64_PATH), and calls InitializeInjection().
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "collect/gpu.h"
#include "cuda/calls.h"
#include "cuda/capture.h"
#include "cuda/memory.h"
#include "cuda/records.h"

enum {
	FLUSH_S = 5 /* the most that the end of the program is held up */
};

/* Mutable: the process's flush at its end. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t done;
	bool flushed;
	pid_t pid;
} end = { .lock = PTHREAD_MUTEX_INITIALIZER };

int InitializeInjection(void) __attribute__((visibility("default")));

static void *flush(void *unused)
{
	cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	pthread_mutex_lock(&end.lock);
	end.flushed = true;
	pthread_cond_signal(&end.done);
	pthread_mutex_unlock(&end.lock);
	return unused;
}

/* CUPTI was seen to hang where a kernel does: not with the program's end. */
static bool flush_in_time(void)
{
	struct timespec until;
	pthread_t thread;
	int err = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += FLUSH_S;
	if (pthread_create(&thread, NULL, flush, NULL))
		return false;
	pthread_detach(thread);
	pthread_mutex_lock(&end.lock);
	while (!end.flushed && err != ETIMEDOUT)
		err = pthread_cond_timedwait(&end.done, &end.lock, &until);
	pthread_mutex_unlock(&end.lock);
	return end.flushed;
}

/* A forked child that ends comes here too. */
static void at_exit(void)
{
	if (getpid() != end.pid)
		return;
	calls_end();
	if (!flush_in_time())
		copse_gpu_lost(LOSS_GPU_UNFLUSHED, 1);
	records_end();
	memory_end();
	copse_gpu_end();
	calls_late(true);
	capture_end();
}

/* It has no GPU, and none of the locks is known to be free. */
static void in_child(void)
{
	calls_end();
	calls_late(false);
	records_end();
}

static int prepare_end(void)
{
	pthread_condattr_t clock;
	int err = pthread_condattr_init(&clock);

	if (!err)
		err = pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	if (!err)
		err = pthread_cond_init(&end.done, &clock);
	end.pid = getpid();
	return err || pthread_atfork(NULL, NULL, in_child) || atexit(at_exit);
}

static enum loss reason(CUptiResult err)
{
	return err == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
		       ? LOSS_GPU_TAKEN
		       : LOSS_GPU_REFUSED;
}

static CUptiResult start(enum gpu_wish wish)
{
	CUpti_SubscriberHandle subscriber;
	CUptiResult err = cupti.Subscribe(&subscriber, calls_callback, NULL);

	if (err)
		return err;
	cupti_modules(copse_gpu_pass);
	err = records_begin();
	if (!err)
		memory_begin(subscriber);
	if (!err)
		err = calls_begin(subscriber, wish == GPU_WISH_ALL);
	if (err)
		cupti.Unsubscribe(subscriber);
	return err;
}

/* The driver goes on without us, whatever is returned; 1 is what it likes. */
int InitializeInjection(void)
{
	static bool begun;
	CUptiResult err;
	enum gpu_wish wish;

	if (begun)
		return 1;
	begun = true;
	wish = copse_gpu_init((const void *)InitializeInjection);
	if (wish == GPU_WISH_NOTHING)
		return 1;
	if (!cupti_open()) {
		copse_gpu_lost(LOSS_GPU_NO_CUPTI, 1);
		return 1;
	}
	if (prepare_end()) {
		copse_gpu_lost(LOSS_GPU_REFUSED, 1);
		return 1;
	}
	capture_begin();
	err = start(wish);
	if (err)
		copse_gpu_lost(reason(err), 1);
	return 1;
}
