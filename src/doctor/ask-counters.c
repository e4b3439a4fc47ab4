/* SPDX-License-Identifier: BSD-3-Clause */
/* ask-counters.c - the processor's own counters, through perf. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctor/ask.h"

static const struct {
	uint64_t event;
	const char *name;
} counters[] = {
	{ PERF_COUNT_HW_CPU_CYCLES, "cycles" },
	{ PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
	{ PERF_COUNT_HW_CACHE_MISSES, "cache misses" },
	{ PERF_COUNT_HW_BRANCH_MISSES, "branch misses" },
};

/* 0, or the errno. */
static int try_counter(uint64_t event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = event,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return errno;
	close((int)fd);
	return 0;
}

void probe_hardware(struct finding *to, const struct doctor *d)
{
	char names[128] = "";
	size_t used = 0;
	int err = 0;

	(void)d;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		int why = try_counter(counters[i].event);

		if (!why)
			used += (size_t)snprintf(
				names + used, sizeof(names) - used, "%s%s",
				used ? ", " : "", counters[i].name);
		err = why ? why : err;
	}
	if (used) {
		ask_found(to, err ? FINDING_LIMITED : FINDING_YES, "%s", names);
		return;
	}
	ask_found(to, FINDING_ABSENT, "none: %s", strerror(err));
	ask_instead(to, "sampling by time needs none of them; software events "
			"(perf::PAGE-FAULTS …) need none, either");
	if (err == EACCES || err == EPERM)
		ask_mend(to, "sysctl kernel.perf_event_paranoid=2 or less");
	else
		ask_mend(to, "in a virtual machine: give it a virtual PMU");
}
