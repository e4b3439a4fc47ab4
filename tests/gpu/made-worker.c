/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * made-worker.c - threads of a library that launch kernels, as engines of
 * frameworks have them: one that works while its caller waits, and one that
 * works all the time.
 */
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "made-cuda.h"

#define PUBLIC __attribute__((visibility("default")))

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	const char *kernel; /* to be launched … */
	unsigned int count; /* … so often; 0: nothing to do */
	bool started;
} work = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0,
	   false };

static void *work_for_caller(void *unused)
{
	pthread_mutex_lock(&work.lock);
	for (;;) {
		while (!work.count)
			pthread_cond_wait(&work.changed, &work.lock);
		for (; work.count; work.count--)
			made_cudaLaunchKernel(work.kernel, 0, 1000);
		pthread_cond_broadcast(&work.changed);
	}
	return unused;
}

PUBLIC void made_by_worker(const char *kernel, unsigned int count)
{
	pthread_t thread;

	pthread_mutex_lock(&work.lock);
	if (!work.started)
		pthread_create(&thread, NULL, work_for_caller, NULL);
	work.started = true;
	work.kernel = kernel;
	work.count = count;
	pthread_cond_broadcast(&work.changed);
	while (work.count)
		pthread_cond_wait(&work.changed, &work.lock);
	pthread_mutex_unlock(&work.lock);
}

static void *work_all_the_time(void *kernel)
{
	for (;;) {
		made_cudaLaunchKernel(kernel, 0, 1000);
		usleep(100);
	}
	return NULL;
}

PUBLIC void made_beside(const char *kernel)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work_all_the_time, (void *)kernel);
}
