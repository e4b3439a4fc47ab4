/* SPDX-License-Identifier: BSD-3-Clause */
/* probe-counters.c - the processor's own counters, through perf. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "check/probe.h"
#include "launch/perf.h"

static const struct {
	uint64_t event;
	const char *name;
} counters[] = {
	{ PERF_COUNT_HW_CPU_CYCLES, "cycles" },
	{ PERF_COUNT_HW_INSTRUCTIONS, "instructions" },
	{ PERF_COUNT_HW_CACHE_MISSES, "cache misses" },
	{ PERF_COUNT_HW_BRANCH_MISSES, "branch misses" },
};

void probe_hardware(struct finding *to, const struct doctor *d)
{
	char names[128] = "";
	size_t used = 0;
	int err = 0;

	(void)d;
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
		int why = perf_try_counter(counters[i].event);

		if (!why)
			used += (size_t)snprintf(
				names + used, sizeof(names) - used, "%s%s",
				used ? ", " : "", counters[i].name);
		err = why ? why : err;
	}
	if (used) {
		probe_found(to, err ? FINDING_LIMITED : FINDING_YES, "%s",
			    names);
		return;
	}
	probe_found(to, FINDING_ABSENT, "none: %s", strerror(-err));
	probe_instead(to,
		      "sampling by time needs none of them; software events "
		      "(perf::PAGE-FAULTS …) need none, either");
	if (perf_is_filtered())
		probe_mend(to, ASK_MEND_FILTER);
	else if (err == -EACCES || err == -EPERM)
		probe_mend(to, "sysctl kernel.perf_event_paranoid=2 or less");
	else
		probe_mend(to, "in a virtual machine: give it a virtual PMU");
}
