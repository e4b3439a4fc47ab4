/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inject.c - the CUDA driver loads this library when the program first uses
 * it (CUDA_INJECTION64_PATH), and calls InitializeInjection().
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/gpu/gpu-tool.h"
#include "collect/gpu/gpu.h"
#include "collect/transparency/leaving.h"
#include "cuda/calls.h"
#include "cuda/capture.h"
#include "cuda/hardware-counters.h"
#include "cuda/flush.h"
#include "cuda/memory.h"
#include "cuda/pc-samples.h"
#include "cuda/activity-records.h"

/* Mutable: whose end is awaited; what CUPTI knows us by, and how that ended. */
static pid_t process;
static CUpti_SubscriberHandle subscriber;
static bool _Atomic finished; /* no record is wanted any more */
static bool _Atomic left;     /* the program does not wait any more */
static bool _Atomic yielded;
static bool _Atomic held;  /* CUPTI is ours */
static bool _Atomic ended; /* the process: all is told, or given up */

enum { /* the most that the program is held up */
	END_S = 5,
	LEAVING_S = 2, /* _exit(), abort() */
};

int InitializeInjection(void) __attribute__((visibility("default")));

static void finish_gpu(void)
{
	if (atomic_exchange(&finished, true))
		return;
	records_end();
	memory_end();
	copse_gpu_end();
}

static void flush_all(void)
{
	pc_samples_end();
	hardware_counters_end();
	cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

/*
 * Children come here too, those of vfork() in their parent's memory; so may the
 * thread that flushes, for which nobody waits.
 */
static void end_measuring(int seconds)
{
	if (getpid() != process || copse_gpu_call.own || ended)
		return;
	copse_gpu_holds(NULL, NULL);
	calls_end();
	if (held && !yielded) {
		if (!flush_end(flush_all, seconds))
			copse_gpu_lost(LOSS_GPU_UNFLUSHED, 1);
		finish_gpu();
		calls_late(true);
	}
	if (capture_wanted())
		copse_capture_end();
	ended = true;
}

static void end_at_exit(void)
{
	end_measuring(END_S);
}

/* Perhaps in a handler that interrupted CUPTI, or us: then nothing comes. */
static void at_leaving(void)
{
	end_measuring(LEAVING_S);
}

/*
 * On the thread that flushes: whatever CUPTI or a GPU waits for, the program
 * goes on after a while.  What is complete in part comes now: in a buffer of
 * ours it would come to a tool that does not know that.  When the tool may have
 * its own clock already, it stays.
 */
static void give_up(void)
{
	records_stop();
	calls_end();
	flush_prepare();
	hardware_counters_end(); /* the tool may take CUPTI down at its end */
	cupti.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	finish_gpu();
	if (!left)
		records_restore_clock();
	cupti.Unsubscribe(subscriber);
}

/*
 * Kernels that are sampled stay so: to stop it beside a launch may hang the
 * program (pc-samples.h).
 */
static bool yield_to_tool(void)
{
	bool first;

	if (pc_samples_wanted()) {
		copse_gpu_lost(LOSS_GPU_KEPT, 1);
		return false;
	}
	first = !atomic_exchange(&yielded, true);
	if (first) {
		copse_gpu_yielded();
		copse_gpu_lost(LOSS_GPU_YIELDED, 1);
	}
	if (flush_end(give_up, END_S))
		return true;
	left = true;
	if (first)
		copse_gpu_lost(LOSS_GPU_UNFLUSHED, 1);
	finish_gpu();
	return true;
}

/* It has no GPU, and none of the locks is known to be free. */
static void forget_cuda_in_child(void)
{
	calls_end();
	calls_late(false);
	records_end();
	pc_samples_forked();
	hardware_counters_forked();
}

static int prepare_end(void)
{
	process = getpid();
	copse_leaving(at_leaving);
	return pthread_atfork(NULL, NULL, forget_cuda_in_child) ||
	       atexit(end_at_exit) || at_quick_exit(end_at_exit);
}

static enum loss start_loss(CUptiResult err)
{
	return err == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
		       ? LOSS_GPU_TAKEN
		       : LOSS_GPU_REFUSED;
}

/*
 * Whose subscription was refused calls nothing of CUPTI's any more: beside
 * NVIDIA's compute-sanitizer, a flush at the end killed the program.
 */
static CUptiResult start_cupti(enum gpu_wish wish)
{
	CUptiResult err = cupti.Subscribe(&subscriber, calls_callback, NULL);

	if (err)
		return err;
	if (flush_begin() || prepare_end()) {
		cupti.Unsubscribe(subscriber);
		return CUPTI_ERROR_UNKNOWN;
	}
	cupti_modules(copse_gpu_pass);
	err = records_begin();
	if (!err) {
		memory_begin(subscriber);
		pc_samples_begin(subscriber);
		hardware_counters_begin(subscriber);
	}
	if (!err)
		err = calls_begin(subscriber, wish);
	if (err) {
		cupti.Unsubscribe(subscriber);
	} else {
		held = true;
		copse_gpu_holds(yield_to_tool, (void *)cupti.Subscribe);
	}
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
	if (copse_gpu_wanted()) {
		copse_gpu_lost(LOSS_GPU_TAKEN, 1);
		return 1;
	}
	err = start_cupti(wish);
	if (err)
		copse_gpu_lost(start_loss(err), 1);
	return 1;
}
