/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.c - the three sampling clocks of doc/decisions/three-clocks.md.
 *
 * A perf event is kept alive by a mapping of its page, which a program that
 * closes descriptors does not end.  The descriptor is needed to change the
 * period: it is kept high up, and lost is only that.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "arch/page-size.h"
#include "base/perf-attr.h"
#include "base/sys.h"
#include "collect/sampling/clock.h"
#include "collect/time.h"
#include "collect/source.h"

enum {
	STOPPED,
	RUNS,
	CHANGING
}; /* state of a clock */

enum {
	CODE_TRAP_PERF = 6,   /* si_code of sigtrap events */
	COOKIE_CPU = 0x5ca1e, /* what our timer signals carry */
	COOKIE_SWITCH,
	COOKIE_TIMER,
	DEAREST_NS = 100000,  /* of a setting that was not interrupted */
	WATCH_NS = 100000000, /* of CPU time, of clock_watch() */
};

/* Mutable: chosen once, before the first thread is measured. */
static struct {
	enum live_clock kind;
	enum live_wall wall;
	int signal;
	uint64_t period_ns, rate;
	bool turns;
} chosen;

enum live_clock clock_kind(void)
{
	return chosen.kind;
}

enum live_wall clock_wall(void)
{
	return chosen.wall;
}

int clock_signal(void)
{
	return chosen.signal;
}

SIGSAFE enum live_clock clock_kind_of(const struct clock *clock)
{
	return clock->timer_only ? LIVE_CLOCK_TIMER : chosen.kind;
}

SIGSAFE bool clock_turns(void)
{
	return chosen.turns;
}

SIGSAFE uint64_t clock_period_ns(void)
{
	return chosen.period_ns;
}

SIGSAFE uint64_t clock_rate(void)
{
	return chosen.rate;
}

/* The event's page, which keeps it alive; its descriptor too when asked. */
SIGSAFE static void *open_event(const struct perf_attr *attr, uint32_t tid,
				struct descriptor *keep, bool wait)
{
	long fd = sys5(SYS_perf_event_open, attr, tid, -1, -1,
		       PERF_FLAG_FD_CLOEXEC);
	long page;

	if (fd < 0)
		return NULL;
	page = sys6(SYS_mmap, 0, (long)page_size(), PROT_READ, MAP_SHARED, fd,
		    0);
	if (sys_failed(page))
		page = 0;
	if (keep && page)
		*keep = descriptor_keep((int)fd, wait);
	else
		sys1(SYS_close, fd);
	return (void *)page;
}

SIGSAFE static void *open_task_clock(uint32_t tid, uint64_t period_ns,
				     bool user_only, struct descriptor *keep,
				     bool wait)
{
	struct perf_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sigtrap = 1,
		.remove_on_exec = 1,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.sig_data = COOKIE_CPU,
	};

	return open_event(&attr, tid, keep, wait);
}

SIGSAFE static void *open_switches(uint32_t tid)
{
	struct perf_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.sample_period = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
		.exclude_hv = 1,
		.sig_data = COOKIE_SWITCH,
	};

	return open_event(&attr, tid, NULL, true);
}

SIGSAFE static void close_event(void *page)
{
	if (page)
		sys2(SYS_munmap, page, page_size());
}

SIGSAFE static void set_timer(const struct clock *clock, uint64_t period_ns)
{
	struct itimerspec every = {
		.it_interval = { (time_t)(period_ns / 1000000000u),
				 (long)(period_ns % 1000000000u) },
	};

	every.it_value = every.it_interval;
	sys4(SYS_timer_settime, clock->timer, 0, &every, 0);
}

/* The kernel's number for the CPU clock of a thread (clock_getres(2)). */
SIGSAFE clockid_t clock_of_thread(uint32_t tid)
{
	return (clockid_t)(~tid << 3 | 6);
}

SIGSAFE static bool start_timer(struct clock *clock, uint32_t tid)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = chosen.signal };

	event.sigev_value.sival_int = COOKIE_TIMER;
	event._sigev_un._tid = (int)tid;
	if (sys3(SYS_timer_create, clock_of_thread(tid), &event, &clock->timer))
		return false;
	clock->has_timer = true;
	set_timer(clock, chosen.period_ns);
	return true;
}

/*
 * Whoever changes the state may touch the rest, and is not interrupted: a
 * handler of the program that jumps out would leave it so.
 */
SIGSAFE static bool claim_clock(struct clock *clock, int state)
{
	uint64_t mask = sys_mask(SYS_MASK_ALL);

	if (__atomic_compare_exchange_n(&clock->state, &state, CHANGING, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		clock->mask = mask;
		return true;
	}
	sys_mask(mask);
	return false;
}

SIGSAFE static void release_clock(struct clock *clock, int state)
{
	uint64_t mask = clock->mask;

	__atomic_store_n(&clock->state, state, __ATOMIC_RELEASE);
	sys_mask(mask);
}

/* A first period of its own makes no sense for what will keep it. */
SIGSAFE static void start_event(struct clock *clock, uint32_t tid,
				uint64_t first_ns)
{
	bool user_only = chosen.kind == LIVE_CLOCK_MIXED;

	clock->brief = clock->brief && first_ns != chosen.period_ns;
	clock->page =
		open_task_clock(tid, first_ns, user_only,
				clock->brief ? NULL : &clock->descriptor, true);
	if (clock->descriptor.number >= 0 || first_ns == chosen.period_ns ||
	    (clock->brief && clock->page))
		return;
	close_event(clock->page);
	clock->page =
		open_task_clock(tid, chosen.period_ns, user_only, NULL, true);
}

SIGSAFE static bool clock_begin(struct clock *clock, uint32_t tid,
				uint64_t first_ns)
{
	clock->descriptor.number = -1;
	if (clock_kind_of(clock) != LIVE_CLOCK_TIMER)
		start_event(clock, tid, first_ns);
	if (chosen.wall == LIVE_WALL_SAMPLED)
		clock->switches = open_switches(tid);
	if (!clock->page || chosen.kind == LIVE_CLOCK_MIXED)
		return start_timer(clock, tid) || clock->page;
	return true;
}

SIGSAFE bool clock_start(struct clock *clock, uint32_t tid, uint64_t first_ns)
{
	bool ok;

	if (chosen.kind == LIVE_CLOCK_NONE)
		return false;
	if (clock->watches)
		clock_stop(clock);
	if (!claim_clock(clock, STOPPED))
		return true;
	ok = clock_begin(clock, tid, first_ns);
	release_clock(clock, ok ? RUNS : STOPPED);
	return ok;
}

SIGSAFE void clock_stop(struct clock *clock)
{
	if (!claim_clock(clock, RUNS))
		return;
	descriptor_drop(&clock->descriptor);
	close_event(clock->page);
	close_event(clock->switches);
	if (clock->has_timer)
		sys1(SYS_timer_delete, clock->timer);
	clock->page = clock->switches = NULL;
	clock->has_timer = clock->watches = false;
	release_clock(clock, STOPPED);
}

SIGSAFE void clock_watch(struct clock *clock, uint32_t tid)
{
	if (chosen.kind == LIVE_CLOCK_NONE || !claim_clock(clock, STOPPED))
		return;
	clock->descriptor.number = -1;
	clock->watches = start_timer(clock, tid);
	if (clock->watches)
		set_timer(clock, WATCH_NS);
	release_clock(clock, clock->watches ? RUNS : STOPPED);
}

SIGSAFE bool clock_change_rate(uint64_t rate)
{
	if (chosen.kind == LIVE_CLOCK_NONE || rate == chosen.rate)
		return false;
	chosen.rate = rate;
	chosen.period_ns = 1000000000u / rate;
	return true;
}

SIGSAFE bool clock_to_timer(struct clock *clock, uint32_t tid)
{
	bool ok;

	if (!claim_clock(clock, RUNS))
		return false;
	ok = clock->page && clock->descriptor.number >= 0 &&
	     (clock->has_timer || start_timer(clock, tid));
	if (ok) {
		descriptor_drop(&clock->descriptor);
		close_event(clock->page);
		clock->page = NULL;
		clock->timer_only = true;
	}
	release_clock(clock, RUNS);
	return ok;
}

SIGSAFE bool clock_to_event(struct clock *clock, uint32_t tid)
{
	bool user_only = chosen.kind == LIVE_CLOCK_MIXED;
	struct descriptor descriptor = { .number = -1 };
	void *page;

	if (!claim_clock(clock, RUNS))
		return false;
	page = open_task_clock(tid, chosen.period_ns, user_only, &descriptor,
			       false);
	if (descriptor.number >= 0) {
		clock->page = page;
		clock->descriptor = descriptor;
		clock->timer_only = clock->brief = false;
		if (!user_only)
			sys1(SYS_timer_delete, clock->timer);
		clock->has_timer = user_only;
	} else {
		close_event(page);
	}
	release_clock(clock, RUNS);
	return descriptor.number >= 0;
}

void clock_forget(struct clock *clock)
{
	if (clock->state == RUNS)
		descriptor_drop(&clock->descriptor);
	*clock = (struct clock){ 0 };
}

SIGSAFE bool clock_can_change(const struct clock *clock)
{
	return clock->descriptor.number >= 0 || !clock->page || clock->brief;
}

SIGSAFE bool clock_renew(struct clock *clock, uint64_t period_ns)
{
	bool user_only = chosen.kind == LIVE_CLOCK_MIXED;
	void *page;

	if (!claim_clock(clock, RUNS))
		return false;
	page = open_task_clock(0, period_ns, user_only, &clock->descriptor,
			       false);
	close_event(clock->page);
	clock->page = page;
	clock->brief = false;
	clock->timer_only = !page;
	if (!page && !clock->has_timer)
		start_timer(clock, (uint32_t)sys0(SYS_gettid));
	release_clock(clock, RUNS);
	return page;
}

/* The kernel stops the event and starts it, as it does at a switch. */
SIGSAFE static bool set_event(struct clock *clock, uint64_t period_ns)
{
	uint64_t took = time_now(CLOCK_MONOTONIC);

	if (sys3(SYS_ioctl, clock->descriptor.number, PERF_EVENT_IOC_PERIOD,
		 &period_ns))
		return false;
	took = time_now(CLOCK_MONOTONIC) - took;
	if (took < DEAREST_NS) {
		clock->set_ns += took;
		clock->sets++;
	}
	return true;
}

/* Of an event and a timer beside it, the event's. */
SIGSAFE bool clock_set_period(struct clock *clock, uint64_t period_ns)
{
	if (!clock->page && clock->has_timer) {
		set_timer(clock, period_ns);
		return true;
	}
	if (clock->brief)
		return clock_renew(clock, period_ns);
	return descriptor_is_ours(&clock->descriptor) &&
	       set_event(clock, period_ns);
}

SIGSAFE uint64_t clock_price_ns(const struct clock *clock)
{
	return clock->sets ? clock->set_ns / clock->sets : 0;
}

SIGSAFE enum timer_signal clock_timer_signal(const siginfo_t *info)
{
	if (info->si_code == SI_TIMER) {
		if (info->si_value.sival_int != COOKIE_TIMER)
			return TIMER_NONE;
		return chosen.kind == LIVE_CLOCK_MIXED ? TIMER_LOCATE
						       : TIMER_CPU;
	}
	if (info->si_code != CODE_TRAP_PERF)
		return TIMER_NONE;
	/* si_perf_data, which older C libraries do not name. */
	switch (*(const uint64_t *)((const char *)info + 24)) {
	case COOKIE_CPU:
		return TIMER_CPU;
	case COOKIE_SWITCH:
		return TIMER_SWITCH;
	default:
		return TIMER_NONE;
	}
}

static bool event_works(bool user_only)
{
	void *page = open_task_clock(0, 1000000000, user_only, NULL, true);

	close_event(page);
	return page != NULL;
}

/* A debugger takes SIGTRAPs for its own. */
static bool is_traced(void)
{
	static const char key[] = "TracerPid:";
	char status[2048], *at;
	long fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/status",
		       O_RDONLY | O_CLOEXEC, 0);
	long got = fd < 0 ? 0 : sys3(SYS_read, fd, status, sizeof(status) - 1);

	if (fd >= 0)
		sys1(SYS_close, fd);
	status[got > 0 ? got : 0] = 0;
	at = strstr(status, key);
	return at && atoi(at + sizeof(key) - 1) != 0;
}

bool clock_can_trap(void)
{
	return perf_sigtrap_is_safe() && !is_traced();
}

/* "cpu@500,wall": the rate of an event, or the default. */
static uint64_t rate_of_event(const char *events, const char *name,
			      uint64_t rate)
{
	size_t length = strlen(name);

	for (const char *at = events; (at = strstr(at, name)); at += length) {
		if (at != events && at[-1] != ',')
			continue;
		if (at[length] == '@')
			return strtoull(at + length + 1, NULL, 10);
		if (!at[length] || at[length] == ',')
			return rate;
	}
	return 0;
}

void clock_init(const struct settings *settings)
{
	uint64_t cpu = rate_of_event(settings->events, "cpu", settings->freq);
	uint64_t wall = rate_of_event(settings->events, "wall", settings->freq);
	uint64_t rate = cpu ? cpu : wall;
	const char *forced = secure_getenv("COPSE_CLOCK"); /* for the tests */

	chosen.signal = SIGTRAP;
	chosen.turns = forced && !strcmp(forced, "turns");
	chosen.rate = rate;
	chosen.period_ns = rate ? 1000000000u / rate : 0;
	if (!chosen.period_ns)
		return;
	if (wall)
		chosen.wall = LIVE_WALL_ADDED;
	if (is_traced()) {
		chosen.signal = SIGPROF;
		chosen.kind = LIVE_CLOCK_TIMER;
	} else if (forced && !strcmp(forced, "timer")) {
		chosen.kind = LIVE_CLOCK_TIMER;
	} else if (perf_sigtrap_is_safe() && event_works(false) &&
		   !(forced && !strcmp(forced, "mixed"))) {
		chosen.kind = LIVE_CLOCK_SIGTRAP;
		if (wall)
			chosen.wall = LIVE_WALL_SAMPLED;
	} else if (perf_sigtrap_is_safe() && event_works(true)) {
		chosen.kind = LIVE_CLOCK_MIXED;
	} else {
		chosen.kind = LIVE_CLOCK_TIMER;
	}
}

SIGSAFE static void clock_describe(struct live_header *header)
{
	header->clock = clock_kind();
	header->wall = clock_wall();
	header->freq = clock_rate();
}

const struct source source_clock = {
	.describe = clock_describe,
};
