/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-clock.c - what the kernel lets this user sample, how often, how many.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "arch/page-size.h"
#include "check/probe.h"
#include "launch/perf.h"

#define SYSCTL "/proc/sys/kernel/"

/* The scheduler's, with which CPU timers are looked at: 100 to 1000. */
static long ticks_per_second(void)
{
	struct timespec tick = { 0, 4000000 };

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return 1000000000 / tick.tv_nsec;
}

/* doc/decisions/three-clocks.md says what they can do. */
void probe_perf(struct finding *to, const struct doctor *d)
{
	long paranoid = probe_number(SYSCTL "perf_event_paranoid", 4);
	bool mighty =
		probe_capable(CAP_PERFMON) || probe_capable(CAP_SYS_ADMIN);
	int whole = perf_try(true), user = perf_try(false);

	(void)d;
	if (!whole) {
		probe_found(to, FINDING_YES,
			    "time in the kernel can be sampled "
			    "(perf_event_paranoid %ld%s)",
			    paranoid, mighty ? ", CAP_PERFMON" : "");
		return;
	}
	probe_found(to, FINDING_LIMITED,
		    "%s: %s (perf_event_paranoid %ld, %s CAP_PERFMON)",
		    user ? "refused" : "only user code can be sampled",
		    whole == -EINVAL ? "this kernel is too old"
				     : strerror(-whole),
		    paranoid, mighty ? "with" : "no");
	if (user)
		probe_instead(to,
			      "samples are taken by the CPU timer, at most %ld "
			      "per second; waiting is not sampled",
			      ticks_per_second());
	else
		probe_instead(to, "time in the kernel is located by the CPU "
				  "timer; waiting is not sampled");
	if (whole == -EINVAL)
		probe_mend(to, "Linux 5.18 or newer, which has perf sigtrap");
	else if (perf_is_filtered())
		probe_mend(to, ASK_MEND_FILTER);
	else
		probe_mend(to, "sysctl kernel.perf_event_paranoid=1, or "
			       "CAP_PERFMON for the user");
}

void probe_rate(struct finding *to, const struct doctor *d)
{
	long most = probe_number(SYSCTL "perf_event_max_sample_rate", 0);
	uint64_t wanted = d->settings->freq;

	if (most <= 0) {
		probe_found(to, FINDING_LIMITED,
			    "the kernel names no limit: it "
			    "may have no perf events");
		probe_instead(to, "what it allows is found by trying");
		return;
	}
	if ((uint64_t)most >= wanted) {
		probe_found(to, FINDING_YES,
			    "up to %ld per second and thread, %" PRIu64
			    " are wanted",
			    most, wanted);
		return;
	}
	probe_found(to, FINDING_LIMITED,
		    "the kernel allows %ld per second, %" PRIu64 " are wanted",
		    most, wanted);
	probe_instead(to, "each sample stands for more time");
	probe_mend(to, "sysctl kernel.perf_event_max_sample_rate=%" PRIu64,
		   wanted);
}

/* Each event has one mapped page, and a thread one or two events. */
void probe_locked(struct finding *to, const struct doctor *d)
{
	long kib = probe_number(SYSCTL "perf_event_mlock_kb", 516);
	unsigned long long pages =
		(unsigned long long)kib * 1024 / page_size() *
		(unsigned long long)sysconf(_SC_NPROCESSORS_ONLN);
	struct rlimit limit = { 0, 0 };
	enum {
		MANY = 256
	};

	(void)d;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_cur == RLIM_INFINITY || probe_capable(CAP_IPC_LOCK)) {
		probe_found(to, FINDING_YES, "without a limit");
		return;
	}
	pages += limit.rlim_cur / page_size();
	probe_found(to, pages < MANY ? FINDING_LIMITED : FINDING_YES,
		    "perf events for some %llu threads at a time (two each)",
		    pages / 2);
	if (pages >= MANY)
		return;
	probe_instead(to, "threads beyond that are sampled by the CPU timer");
	probe_mend(to, "sysctl kernel.perf_event_mlock_kb=4096");
}
