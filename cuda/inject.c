/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inject.c - the CUDA driver loads this library when the program first uses
 * it (CUDA_INJECTION64_PATH), and calls InitializeInjection().
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/gpu.h"
#include "cuda/calls.h"
#include "cuda/capture.h"
#include "cuda/flush.h"
#include "cuda/memory.h"
#include "cuda/pc-samples.h"
#include "cuda/records.h"

/* Mutable: whose end is awaited. */
static pid_t process;

int InitializeInjection(void) __attribute__((visibility("default")));

/* A forked child that ends comes here too. */
static void at_exit(void)
{
	if (getpid() != process)
		return;
	calls_end();
	if (!flush_end())
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
	pc_samples_forked();
}

static int prepare_end(void)
{
	process = getpid();
	return pthread_atfork(NULL, NULL, in_child) || atexit(at_exit);
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
	err = records_begin(copse_gpu_nodes());
	if (!err) {
		memory_begin(subscriber);
		pc_samples_begin(subscriber);
	}
	if (!err)
		err = calls_begin(subscriber, wish, copse_gpu_nodes());
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
	if (flush_begin() || prepare_end()) {
		copse_gpu_lost(LOSS_GPU_REFUSED, 1);
		return 1;
	}
	capture_begin();
	err = start(wish);
	if (err)
		copse_gpu_lost(reason(err), 1);
	return 1;
}
