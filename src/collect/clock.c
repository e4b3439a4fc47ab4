/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock.c - the three sampling clocks of doc/design.md.
 *
 * A perf event is kept alive by a mapping of its page, and its descriptor is
 * closed at once: the program can neither close it nor meet it.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/sys.h"
#include "collect/clock.h"

enum {
	PAGE = 4096,
	CODE_TRAP_PERF = 6,   /* si_code of sigtrap events */
	COOKIE_CPU = 0x5ca1e, /* what our ticks carry */
	COOKIE_SWITCH,
	COOKIE_TIMER,
};

/* Mutable: chosen once, before the first thread is measured. */
static struct {
	enum live_clock kind;
	bool wall;
	int signal;
	uint64_t period_ns, rate;
} chosen;

enum live_clock clock_kind(void)
{
	return chosen.kind;
}

bool clock_samples_wall(void)
{
	return chosen.wall;
}

int clock_signal(void)
{
	return chosen.signal;
}

SIGSAFE bool clock_is_periodic(void)
{
	return chosen.kind == LIVE_CLOCK_SIGTRAP;
}

SIGSAFE uint64_t clock_period_ns(void)
{
	return chosen.period_ns;
}

SIGSAFE uint64_t clock_rate(void)
{
	return chosen.rate;
}

static void *open_event(uint64_t config, uint64_t period, uint64_t cookie,
			bool user_only)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.sample_period = period,
		.sigtrap = 1,
		.remove_on_exec = 1,
		.exclude_kernel = user_only,
		.exclude_hv = 1,
		.sig_data = cookie,
	};
	long fd = sys5(SYS_perf_event_open, &attr, 0, -1, -1,
		       PERF_FLAG_FD_CLOEXEC);
	long page;

	if (fd < 0)
		return NULL;
	page = sys6(SYS_mmap, 0, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	sys1(SYS_close, fd);
	return page < 0 && page > -PAGE ? NULL : (void *)page;
}

static void close_event(void *page)
{
	if (page)
		sys2(SYS_munmap, page, PAGE);
}

static bool start_timer(struct clock *clock)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = chosen.signal };
	struct itimerspec every = {
		.it_interval = { (time_t)(chosen.period_ns / 1000000000u),
				 (long)(chosen.period_ns % 1000000000u) },
	};

	event.sigev_value.sival_int = COOKIE_TIMER;
	event._sigev_un._tid = (int)sys0(SYS_gettid);
	every.it_value = every.it_interval;
	if (sys3(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event,
		 &clock->timer))
		return false;
	clock->has_timer = true;
	sys4(SYS_timer_settime, clock->timer, 0, &every, 0);
	return true;
}

bool clock_start(struct clock *clock)
{
	bool user_only = chosen.kind == LIVE_CLOCK_MIXED;

	*clock = (struct clock){ 0 };
	if (chosen.kind == LIVE_CLOCK_NONE)
		return false;
	if (chosen.kind != LIVE_CLOCK_TIMER)
		clock->page =
			open_event(PERF_COUNT_SW_TASK_CLOCK, chosen.period_ns,
				   COOKIE_CPU, user_only);
	if (chosen.wall)
		clock->switches = open_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1,
					     COOKIE_SWITCH, false);
	if (!clock->page || user_only)
		return start_timer(clock) || clock->page;
	return true;
}

void clock_stop(struct clock *clock)
{
	close_event(clock->page);
	close_event(clock->switches);
	if (clock->has_timer)
		sys1(SYS_timer_delete, clock->timer);
	*clock = (struct clock){ 0 };
}

SIGSAFE enum tick clock_tick(const siginfo_t *info)
{
	if (info->si_code == SI_TIMER) {
		if (info->si_value.sival_int != COOKIE_TIMER)
			return TICK_FOREIGN;
		return chosen.kind == LIVE_CLOCK_MIXED ? TICK_LOCATE : TICK_CPU;
	}
	if (info->si_code != CODE_TRAP_PERF)
		return TICK_FOREIGN;
	/* si_perf_data, which older C libraries do not name. */
	switch (*(const uint64_t *)((const char *)info + 24)) {
	case COOKIE_CPU:
		return TICK_CPU;
	case COOKIE_SWITCH:
		return TICK_SWITCH;
	default:
		return TICK_FOREIGN;
	}
}

/*
 * Before Linux 5.18 a sigtrap event killed a thread that had the signal
 * blocked.
 */
static bool kernel_is_safe(void)
{
	struct utsname system;
	int major = 0, minor = 0;

	if (uname(&system) ||
	    sscanf(system.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major > 5 || (major == 5 && minor >= 18);
}

static bool works(bool user_only)
{
	void *page =
		open_event(PERF_COUNT_SW_TASK_CLOCK, 1000000000, 0, user_only);

	close_event(page);
	return page != NULL;
}

/* A debugger takes SIGTRAPs for its own. */
static bool traced(void)
{
	static const char key[] = "TracerPid:";
	char status[2048], *at;
	long fd = sys3(SYS_open, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	long got = fd < 0 ? 0 : sys3(SYS_read, fd, status, sizeof(status) - 1);

	if (fd >= 0)
		sys1(SYS_close, fd);
	status[got > 0 ? got : 0] = 0;
	at = strstr(status, key);
	return at && atoi(at + sizeof(key) - 1) != 0;
}

/* "cpu@500,wall": the rate of an event, or the default. */
static uint64_t rate_of(const char *events, const char *name, uint64_t rate)
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

/*
 * Programs work in round times, and a sample stretches what it falls into: a
 * period near theirs locks in step with them.  One that is 4 % shorter than
 * the round one sweeps through their phases (doc/performance.md).
 */
static uint64_t out_of_step(uint64_t period)
{
	return period - period / 27;
}

void clock_init(const struct settings *settings)
{
	uint64_t cpu = rate_of(settings->events, "cpu", settings->freq);
	uint64_t wall = rate_of(settings->events, "wall", settings->freq);
	uint64_t rate = cpu ? cpu : wall;
	const char *forced = getenv("COPSE_CLOCK"); /* for the tests */

	chosen.signal = SIGTRAP;
	chosen.rate = rate;
	chosen.period_ns = rate ? out_of_step(1000000000u / rate) : 0;
	if (!chosen.period_ns)
		return;
	if (traced()) {
		chosen.signal = SIGPROF;
		chosen.kind = LIVE_CLOCK_TIMER;
	} else if (forced && !strcmp(forced, "timer")) {
		chosen.kind = LIVE_CLOCK_TIMER;
	} else if (kernel_is_safe() && works(false) &&
		   !(forced && !strcmp(forced, "mixed"))) {
		chosen.kind = LIVE_CLOCK_SIGTRAP;
		chosen.wall = wall != 0;
	} else if (kernel_is_safe() && works(true)) {
		chosen.kind = LIVE_CLOCK_MIXED;
	} else {
		chosen.kind = LIVE_CLOCK_TIMER;
	}
}
