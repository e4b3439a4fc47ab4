/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi.c - events by name: PAPI's presets, and every event of libpfm, which
 * knows the processor's own and the kernel's ("perf::PAGE-FAULTS").
 *
 * PAPI only says which events of the processor make a preset; it starts
 * nothing.  Its own counting would use real-time signals and the thread's one
 * running event set, which may be the program's (doc/decisions/events.md).
 */
#include <errno.h>
#include <papi.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/event.h"
#include "base/hidden.h"

extern const struct event_source copse_event_source;

/* Mutable: each library is started once, PAPI only for a preset. */
static bool pfm_ready, papi_ready;

static bool start_pfm(void)
{
	if (!pfm_ready)
		pfm_ready = pfm_initialize() == PFM_SUCCESS;
	return pfm_ready;
}

/*
 * PAPI ends libpfm where perf_event_paranoid is 3, as Debian has it.  Root has
 * the events all the same.
 */
static bool start_papi(void)
{
	pfm_ready = false;
	if (!papi_ready)
		papi_ready =
			PAPI_library_init(PAPI_VER_CURRENT) == PAPI_VER_CURRENT;
	return papi_ready;
}

static bool is_preset(const char *name)
{
	return !strncmp(name, "PAPI_", 5);
}

static int add_papi_event(struct event *to, const char *name, bool minus,
			  char *why, size_t size)
{
	struct perf_event_attr attr = { 0 };
	pfm_perf_encode_arg_t encoded = { .attr = &attr,
					  .size = sizeof(encoded) };
	int err =
		start_pfm()
			? pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3,
						    PFM_OS_PERF_EVENT, &encoded)
			: PFM_ERR_NOINIT;

	if (err != PFM_SUCCESS) {
		snprintf(why, size, "%s", pfm_strerror(err));
		return -ENOENT;
	}
	if (to->part_count == EVENT_PARTS) {
		snprintf(why, size, "made of too many events");
		return -ENOENT;
	}
	to->parts[to->part_count++] = (struct event_part){
		.type = attr.type,
		.config = attr.config,
		.config1 = attr.config1,
		.config2 = attr.config2,
		.minus = minus,
		.no_user = attr.exclude_user,
		.no_kernel = attr.exclude_kernel,
	};
	return 0;
}

/* The preset's events are added, or the others taken from the first. */
static int find_preset(struct event *to, const char *name, char *why,
		       size_t size)
{
	PAPI_event_info_t info;
	bool minus;
	int code, err = 0;

	if (!start_papi() || PAPI_event_name_to_code(name, &code) != PAPI_OK) {
		snprintf(why, size, "PAPI knows no such event");
		return -ENOENT;
	}
	if (PAPI_query_event(code) != PAPI_OK ||
	    PAPI_get_event_info(code, &info) != PAPI_OK || !info.count) {
		snprintf(why, size,
			 "the processor does not count it, or a "
			 "virtual machine hides its counters");
		return -ENOENT;
	}
	minus = !strcmp(info.derived, "DERIVED_SUB");
	if (!minus && strcmp(info.derived, "NOT_DERIVED") != 0 &&
	    strcmp(info.derived, "DERIVED_ADD") != 0) {
		snprintf(why, size,
			 "PAPI computes it by a formula; count the "
			 "events that it is made of");
		return -ENOENT;
	}
	for (unsigned int i = 0; i < info.count && !err; i++)
		err = add_papi_event(to, info.name[i], minus && i, why, size);
	return err;
}

static int find_papi_event(struct event *to, const char *name, char *why,
			   size_t size)
{
	*to = (struct event){ 0 };
	if (strlen(name) >= sizeof(to->name) || strpbrk(name, " ;\t")) {
		snprintf(why, size, "no name of an event");
		return -ENOENT;
	}
	strcpy(to->name, name);
	if (is_preset(name))
		return find_preset(to, name, why, size);
	return add_papi_event(to, name, false, why, size);
}

static void list_presets(void (*each)(void *to, const char *name), void *to)
{
	PAPI_event_info_t info;
	int code = PAPI_PRESET_MASK;

	if (!start_papi())
		return;
	do {
		if (PAPI_get_event_info(code, &info) == PAPI_OK && info.count)
			each(to, info.symbol);
	} while (PAPI_enum_event(&code, PAPI_PRESET_ENUM_AVAIL) == PAPI_OK);
}

static void list_pmu(const pfm_pmu_info_t *pmu,
		     void (*each)(void *to, const char *name), void *to)
{
	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t info = { .size = sizeof(info) };
		char name[EVENT_NAME_SIZE];

		if (pfm_get_event_info(i, PFM_OS_PERF_EVENT, &info) !=
			    PFM_SUCCESS ||
		    !strncmp(info.name, "PERF_COUNT_", 11))
			continue;
		if (snprintf(name, sizeof(name), "%s::%s", pmu->name,
			     info.name) < (int)sizeof(name))
			each(to, name);
	}
}

static void list_papi_events(void (*each)(void *to, const char *name), void *to)
{
	list_presets(each, to);
	if (!start_pfm())
		return;
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS &&
		    pmu.is_present)
			list_pmu(&pmu, each, to);
	}
}

PUBLIC const struct event_source copse_event_source = { find_papi_event,
							list_papi_events };
