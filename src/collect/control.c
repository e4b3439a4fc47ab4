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
	bool held;       /* any of them: hold_clocks() was told */
	uint64_t resumed_ns; /* 0: it was never held */
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

	do {
		before = __atomic_load_n(&control.changes, __ATOMIC_ACQUIRE);
		sys_copy(&header->pauses, &control.sums, sizeof(control.sums));
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	} while (before != __atomic_load_n(&control.changes, __ATOMIC_ACQUIRE));
}

static void note_pause(bool held)
{
	struct live_pauses *p = &control.sums;
	struct live_header *header;
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
	header = registry_header();
	if (header)
		control_describe(header);
}

/* Stop all clocks, or let them go on. */
static void hold_clocks(bool held)
{
	uint64_t now = time_now(CLOCK_MONOTONIC);
	int64_t pauses = collect_paused_until(now);

	__atomic_store_n(&collect_pauses, held ? pauses - (int64_t)now : pauses,
			 __ATOMIC_RELAXED);
	if (!held)
		sources_tell(resumed, now);
	if (collect_active())
		thread_clocks_follow();
}

/* After a change, under the lock. */
static void apply_control(void)
{
	bool held = control.pauses || control.stopped || control.waiting;

	if (held == control.held)
		return;
	control.held = held;
	if (held)
		hold_clocks(true);
	note_pause(held);
	if (!held)
		hold_clocks(false);
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
