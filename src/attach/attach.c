/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - see attach.h. */
#include "attach/attach.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "launch/process.h"

#define SECOND 1000000000ull

enum {
	LOOK_NS = 100000000, /* between looks at threads */
	DRAIN_NS = 40000000, /* most between looks into rings */
	DUE_LEAST = 10       /* samples' worth of CPU time: some must come */
};

/* Until a thread that runs has filled half of the smallest ring. */
static uint64_t drain_interval(const struct attach *a)
{
	uint64_t least = DRAIN_NS;

	for (size_t i = 0; i < a->count; i++) {
		const struct attach_process *p = &a->processes[i];
		uint64_t copies = p->room / p->dump / 2;
		uint64_t ns = copies * SECOND / p->how.freq;

		least = ns < least ? ns : least;
	}
	return least;
}

static bool all_are_gone(const struct attach *a)
{
	for (size_t i = 0; i < a->count; i++)
		if (!a->processes[i].gone)
			return false;
	return true;
}

/* The signal that came until then; 0: none. */
static int wait_until(const sigset_t *set, uint64_t until_ns)
{
	uint64_t now = process_clock();
	uint64_t left = until_ns > now ? until_ns - now : 0;
	const struct timespec wait = { (time_t)(left / SECOND),
				       (long)(left % SECOND) };
	int signo = sigtimedwait(set, NULL, &wait);

	return signo > 0 ? signo : 0;
}

static void attach_loop(struct attach *a, const sigset_t *set, uint64_t end_ns)
{
	uint64_t look_ns = 0;

	while (!a->signal && !all_are_gone(a)) {
		uint64_t now = process_clock();

		if (now >= end_ns)
			return;
		for (size_t i = 0; i < a->count; i++)
			attach_process_drain(&a->processes[i]);
		if (now >= look_ns) {
			for (size_t i = 0; i < a->count; i++)
				attach_process_look(&a->processes[i]);
			look_ns = now + LOOK_NS;
		}
		now += drain_interval(a);
		a->signal = wait_until(set, now < end_ns ? now : end_ns);
	}
}

void attach_run(struct attach *a, double seconds)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	a->start_ns = process_clock();
	attach_loop(a, &set,
		    seconds > 0 ? a->start_ns + (uint64_t)(seconds * 1e9)
				: UINT64_MAX);
	for (size_t i = 0; i < a->count; i++)
		attach_process_end(&a->processes[i]);
	a->end_ns = process_clock();
	sigprocmask(SIG_SETMASK, &old, NULL);
}

int attach_check(const struct attach *a)
{
	uint64_t samples = 0, cpu_ns = 0, due = 0;
	bool kernel = true;

	for (size_t i = 0; i < a->count; i++) {
		const struct attach_process *p = &a->processes[i];

		samples += p->samples;
		cpu_ns += p->cpu_ns;
		due += p->cpu_ns * p->how.freq / SECOND;
		kernel &= p->how.kernel;
	}
	if (samples)
		return 0;
	if (due < DUE_LEAST)
		return fail(-ENODATA,
			    "took no sample: it used %.0f ms of CPU time",
			    (double)cpu_ns / 1e6);
	return fail(-ENODATA, "took no sample in %.2f s of CPU time: %s",
		    (double)cpu_ns / 1e9,
		    kernel ? "the kernel sends none (a virtual machine "
			     "without a timer, or a filter)"
			   : "all of it was in the kernel, where this user "
			     "may not sample (kernel.perf_event_paranoid is "
			     "above 1)");
}
