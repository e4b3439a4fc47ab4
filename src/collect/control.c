/* SPDX-License-Identifier: BSD-3-Clause */
/* control.c - pausing, and who is measured at all. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/auxv.h>

#include "base/hidden.h"
#include "base/program-filter.h"
#include "base/sys.h"
#include "collect/collect.h"
#include "collect/control.h"
#include "collect/lock.h"
#include "collect/registry.h"
#include "collect/sampling/clock.h"
#include "collect/source.h"
#include "collect/thread.h"
#include "collect/time.h"

/* Mutable: the process is measured or not as a whole. */
static struct {
	struct lock lock;
	uint32_t pauses; /* of copse_pause() */
	bool stopped;    /* by MPI_Pcontrol(0) */
	bool waiting;    /* for the first word, after --from-start=off … */
	bool obeys;      /* … and all words of CUDA */
	bool off;        /* by the user */
	bool outside;    /* of --iterations */
	bool held;       /* any of them: hold_clocks() was told */
	bool by_calls;   /* the user's word is looked for at calls of MPI */
	enum live_measuring asked;
	enum live_window kind; /* of the last window … */
	uint32_t windows;
	uint64_t from, until; /* … and its ends */
	uint64_t resumed_ns;  /* 0: it was never held */
	uint32_t changes;
	struct live_pauses sums; /* `changes` counts their changes */
} control RESET_AT_FORK;

bool control_wants(const struct settings *s)
{
	const char *called = (const char *)getauxval(AT_EXECFN);
	char file[PATH_MAX];
	long n = sys4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", file,
		      sizeof(file) - 1);

	file[n > 0 ? n : 0] = 0;
	return program_filter_wants(s->include, s->exclude,
				    called ? called : file, file);
}

/*
 * A sample that makes the profile may read while another thread changes them:
 * it reads again, so that the last one who writes writes what is true.
 */
SIGSAFE static void control_describe(struct live_header *header)
{
	uint32_t before;

	header->window_kind = control.kind;
	header->windows = control.windows;
	header->window_from = control.from;
	header->window_until = control.until;
	do {
		before = __atomic_load_n(&control.changes, __ATOMIC_ACQUIRE);
		sys_copy(&header->pauses, &control.sums, sizeof(control.sums));
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (before != __atomic_load_n(&control.changes, __ATOMIC_ACQUIRE));
}

SIGSAFE static void describe_now(void)
{
	struct live_header *header = registry_header();

	if (header)
		control_describe(header);
}

SIGSAFE static void note_pause(bool held)
{
	struct live_pauses *p = &control.sums;
	uint64_t wall = time_now(CLOCK_MONOTONIC);
	uint64_t cpu = time_now(CLOCK_PROCESS_CPUTIME_ID);

	if (!held) {
		control.resumed_ns = wall;
		p->wall_ns += wall - p->since_wall_ns;
		p->cpu_ns += cpu - p->since_cpu_ns;
	}
	p->since_wall_ns = held ? wall : 0;
	p->since_cpu_ns = held ? cpu : 0;
	__atomic_fetch_add(&control.changes, 1, __ATOMIC_SEQ_CST);
	describe_now();
}

/* The first window, or the next one, begins or ends there. */
SIGSAFE static void note_window(bool on, enum live_window kind, uint64_t at)
{
	control.kind = kind;
	control.windows += on || !control.windows;
	if (on)
		control.from = at;
	control.until = on ? 0 : at;
	describe_now();
}

/* Stop all clocks, or let them go on.  No thread starts or ends meanwhile. */
SIGSAFE static void hold_clocks(bool held)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	int64_t pauses = collect_paused_until(now);

	__atomic_store_n(&collect_pauses, held ? pauses - (int64_t)now : pauses,
			 __ATOMIC_RELAXED);
	if (!held)
		sources_tell(resumed, now);
	if (collect_active())
		thread_clocks_follow_held(false);
}

/* After a change, under both locks. */
SIGSAFE static bool apply_control_held(void)
{
	bool users = control.waiting || control.off || control.outside;
	bool held = control.pauses || control.stopped || users;

	collect_watched = users && !control.by_calls;
	if (held == control.held)
		return false;
	control.held = held;
	if (held)
		hold_clocks(true);
	note_pause(held);
	if (!held)
		hold_clocks(false);
	return true;
}

/* After a change, under the lock. */
static void apply_control(void)
{
	threads_hold_inner(false);
	apply_control_held();
	threads_let_go_inner();
}

void control_init(const struct settings *s)
{
	control.waiting = control.obeys = !s->from_start;
	apply_control();
}

/* Who held the lock is not here; what was before is not of this profile. */
AT_FORK static void control_fork(void)
{
	lock_open(&control.lock);
	control.sums = (struct live_pauses){ 0 };
	control.windows = 0;
	control.kind = LIVE_WINDOW_NONE;
	if (control.held)
		note_pause(true);
}

void control_pause(void)
{
	lock_take(&control.lock);
	control.pauses++;
	apply_control();
	lock_give(&control.lock);
}

/* One too many is none. */
void control_resume(void)
{
	lock_take(&control.lock);
	if (control.pauses)
		control.pauses--;
	if (!control.pauses)
		control.waiting = false;
	apply_control();
	lock_give(&control.lock);
}

void control_mpi(bool on)
{
	lock_take(&control.lock);
	control.stopped = !on;
	if (on)
		control.waiting = false;
	apply_control();
	lock_give(&control.lock);
}

void control_profiler(bool on)
{
	if (control.obeys)
		control_mpi(on);
}

/* In a handler nobody is waited for. */
SIGSAFE static bool take_both_locks(bool handler)
{
	if (!handler)
		lock_take(&control.lock);
	else if (!lock_try(&control.lock))
		return false;
	if (threads_hold_inner(handler))
		return true;
	lock_give(&control.lock);
	return false;
}

SIGSAFE bool control_steer(enum live_measuring how, uint64_t rate,
			   uint64_t calls, bool handler)
{
	bool changed;

	if (!take_both_locks(handler))
		return false;
	if (how != LIVE_MEASURING_ASKED) {
		control.off = how == LIVE_MEASURING_OFF;
		control.waiting &= control.off;
		control.outside &= control.off;
	}
	if (how != control.asked && calls)
		note_window(how == LIVE_MEASURING_ON, LIVE_WINDOW_CALLS, calls);
	control.asked = how;
	changed = rate && clock_change_rate(rate);
	/* Clocks that start now have it; those that run start anew. */
	if (!apply_control_held() && changed && collect_active())
		thread_clocks_follow_held(true);
	threads_let_go_inner();
	lock_give(&control.lock);
	return true;
}

void control_by_calls(void)
{
	lock_take(&control.lock);
	control.by_calls = true;
	collect_watched = false;
	/* Clocks that run would begin another period. */
	if (control.held && collect_active())
		thread_clocks_follow();
	lock_give(&control.lock);
}

void control_window(bool inside, enum live_window kind, uint64_t at)
{
	lock_take(&control.lock);
	control.outside = !inside;
	if (kind != LIVE_WINDOW_NONE)
		note_window(inside, kind, at);
	apply_control();
	lock_give(&control.lock);
}

uint64_t control_paused_ns(void)
{
	uint64_t sum;

	/* The first change may be under way: it begins now. */
	if (!__atomic_load_n(&control.changes, __ATOMIC_ACQUIRE))
		return 0;
	lock_take(&control.lock);
	sum = control.sums.wall_ns;
	if (control.held)
		sum += time_now(CLOCK_MONOTONIC) - control.sums.since_wall_ns;
	lock_give(&control.lock);
	return sum;
}

uint64_t control_measured_since(void)
{
	uint64_t since;

	lock_take(&control.lock);
	since = control.held ? UINT64_MAX : control.resumed_ns;
	lock_give(&control.lock);
	return since;
}

void control_left_out(const char *directory, int rank)
{
	char path[PATH_MAX];
	long fd;

	snprintf(path, sizeof(path), "%s/%d" LIVE_LEFT_OUT, directory, rank);
	fd = sys4(SYS_openat, AT_FDCWD, path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		sys1(SYS_close, fd);
}

const struct source source_control = {
	.fork = control_fork,
	.describe = control_describe,
};
