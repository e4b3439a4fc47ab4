/* SPDX-License-Identifier: BSD-3-Clause */
/* attach.c - see attach.h. */
#include "attach/attach.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "arch/page-size.h"
#include "base/err.h"
#include "base/proc.h"
#include "launch/process.h"

#define SECOND 1000000000ull

enum {
	LOOK_NS = 100000000, /* between looks at threads */
	DRAIN_NS = 40000000, /* most between looks into rings */
	EVENTS_MOST = 64,    /* that are taken at a time */
	STAT_THREADS = 20,   /* of a process's `stat` */
	DUE_LEAST = 10       /* samples' worth of CPU time: some must come */
};

/* Bytes that this user may lock, as far as is known. */
static double lockable_bytes(void)
{
	FILE *from = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	struct rlimit limit;
	double kb = 0;
	bool known = from && fscanf(from, "%lf", &kb) == 1 &&
		     !getrlimit(RLIMIT_MEMLOCK, &limit);

	if (from)
		fclose(from);
	if (!geteuid() || !known || limit.rlim_cur == RLIM_INFINITY)
		return INFINITY;
	return (double)limit.rlim_cur +
	       kb * 1024 * (double)sysconf(_SC_NPROCESSORS_ONLN);
}

void attach_plan(struct attach_how *how, const pid_t *pids, size_t count)
{
	double most = lockable_bytes(), threads = 0;

	for (size_t i = 0; i < count; i++)
		threads += (double)proc_stat(pids[i], STAT_THREADS);
	how->dump = PERF_RING_DUMP;
	how->room = 8 * (size_t)how->dump;
	while (threads * (double)(how->room + page_size()) > most &&
	       attach_process_halve(how))
		;
}

/* Until a thread that runs has filled half of the smallest ring. */
static uint64_t drain_interval(const struct attach *a)
{
	uint64_t least = DRAIN_NS;

	for (size_t i = 0; i < a->count; i++) {
		const struct attach_process *p = &a->processes[i];
		uint64_t copies = p->how.room / p->how.dump / 2;
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

static void take_wake_up(struct attach *a, const struct epoll_event *event)
{
	struct signalfd_siginfo info;

	if (event->data.ptr)
		attach_process_wake(event->data.ptr, event->events & EPOLLHUP);
	else if (read(a->signals, &info, sizeof(info)) > 0)
		a->signal = (int)info.ssi_signo;
}

/* Until then, or a signal; samples of Python are taken meanwhile. */
static void wait_until(struct attach *a, uint64_t until_ns)
{
	for (uint64_t now; (now = process_clock()) < until_ns && !a->signal;) {
		struct epoll_event events[EVENTS_MOST];
		uint64_t ms = (until_ns - now) / 1000000 + 1;
		int count = epoll_wait(a->events, events, EVENTS_MOST,
				       ms < INT_MAX ? (int)ms : INT_MAX);

		for (int i = 0; i < count; i++)
			take_wake_up(a, &events[i]);
	}
}

static void attach_loop(struct attach *a, uint64_t end_ns)
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
		wait_until(a, now < end_ns ? now : end_ns);
	}
}

static int wait_for_signals(struct attach *a, const sigset_t *set)
{
	struct epoll_event event = { EPOLLIN, { .ptr = NULL } };

	a->signals = signalfd(-1, set, SFD_CLOEXEC);
	return a->signals < 0 || epoll_ctl(a->events, EPOLL_CTL_ADD, a->signals,
					   &event)
		       ? fail(-errno, "cannot wait for signals: %s",
			      strerror(errno))
		       : 0;
}

int attach_run(struct attach *a, double seconds)
{
	sigset_t set, old;
	int err;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, &old);
	err = wait_for_signals(a, &set);
	attach_python_hurry();
	a->start_ns = process_clock();
	if (!err)
		attach_loop(a, seconds > 0
				       ? a->start_ns + (uint64_t)(seconds * 1e9)
				       : UINT64_MAX);
	for (size_t i = 0; i < a->count; i++)
		attach_process_end(&a->processes[i]);
	a->end_ns = process_clock();
	attach_python_follow(-1);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return err;
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
