/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware-events.c - names of events. */
#include <string.h>
#include <strings.h>

#include "analyse/counters/hardware-events.h"

static const struct run_metric *find_any(const struct run *run,
					 const char *const *names)
{
	for (size_t i = 0; i < run->metric_count; i++)
		for (size_t k = 0; names[k]; k++)
			if (!strcasecmp(run->metrics[i].name, names[k]))
				return &run->metrics[i];
	return NULL;
}

const struct run_metric *hardware_instructions(const struct run *run)
{
	static const char *const names[] = {
		METRIC_EVENT "PAPI_TOT_INS", METRIC_EVENT "perf::INSTRUCTIONS",
		METRIC_EVENT "perf::PERF_COUNT_HW_INSTRUCTIONS",
		METRIC_EVENT "INSTRUCTION_RETIRED", NULL
	};

	return find_any(run, names);
}

const struct run_metric *hardware_cycles(const struct run *run)
{
	static const char *const names[] = {
		METRIC_EVENT "PAPI_TOT_CYC", METRIC_EVENT "perf::CYCLES",
		METRIC_EVENT "perf::PERF_COUNT_HW_CPU_CYCLES",
		METRIC_EVENT "UNHALTED_CORE_CYCLES", NULL
	};

	return find_any(run, names);
}
