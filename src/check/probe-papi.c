/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe-papi.c - PAPI, if there is one, and its components.
 *
 * It is opened at run time, and nothing but this file knows how: copse is
 * built without PAPI, too.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "check/probe.h"
#include "launch/perf.h"

/* The beginning of PAPI_component_info_t, which is the same in 7.x. */
struct component {
	char name[128], short_name[64], description[128], version[64],
		support_version[64], kernel_version[64], why_disabled[1024];
	int disabled;
};

struct papi {
	int (*library_init)(int version);
	int (*num_components)(void);
	const struct component *(*get_component_info)(int index);
};

/* PAPI wants to hear its own version, in the upper half of a word. */
enum {
	MAJOR = 7,
	MINORS = 8
};

static const char *const names[] = { "libpapi.so", "libpapi.so.7.0",
				     "libpapi.so.7.1", "libpapi.so.7.2" };

static void *open_papi_library(const char **name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		*name = names[i];
		if (library)
			return library;
	}
	return NULL;
}

static bool find_papi_symbols(struct papi *p, void *library)
{
	p->library_init = (int (*)(int))(dlsym(library, "PAPI_library_init"));
	p->num_components =
		(int (*)(void))(dlsym(library, "PAPI_num_components"));
	p->get_component_info = (const struct component *(*)(int))(
		dlsym(library, "PAPI_get_component_info"));
	return p->library_init && p->num_components && p->get_component_info;
}

/* The minor version that it accepts; -1: another major one. */
static int begin_papi(const struct papi *p)
{
	for (int minor = 0; minor < MINORS; minor++)
		if (p->library_init(MAJOR << 24 | minor << 16) > 0)
			return minor;
	return -1;
}

static void list_components(struct finding *to, const struct papi *p, int minor)
{
	size_t used, working = 0;
	char mend[sizeof(to->mend)] = "";

	probe_found(to, FINDING_YES, "%d.%d with", MAJOR, minor);
	used = strlen(to->found);
	for (int i = 0; i < p->num_components(); i++) {
		const struct component *c = p->get_component_info(i);

		if (!c || used >= sizeof(to->found))
			continue;
		working += !c->disabled;
		used += (size_t)snprintf(
			to->found + used, sizeof(to->found) - used,
			"%s %s%s%s%s", i ? "," : "", c->short_name,
			c->disabled ? " (not: " : "",
			c->disabled ? c->why_disabled : "",
			c->disabled ? ")" : "");
		if (c->disabled && strstr(c->why_disabled, "paranoid"))
			snprintf(
				mend, sizeof(mend), "%s",
				perf_is_filtered()
					? ASK_MEND_FILTER
					: "sysctl kernel.perf_event_paranoid=2 "
					  "or less");
	}
	if (!working)
		to->state = FINDING_ABSENT;
	probe_mend(to, "%s", mend);
}

void probe_papi(struct finding *to, const struct doctor *d)
{
	struct papi papi;
	const char *name;
	void *library = open_papi_library(&name);
	int minor;

	(void)d;
	if (!library) {
		probe_found(to, FINDING_ABSENT, "there is no libpapi.so");
		probe_mend(to, "install PAPI 7, or name its folder in "
			       "LD_LIBRARY_PATH");
	} else if (!find_papi_symbols(&papi, library)) {
		probe_found(to, FINDING_ABSENT, "%s is not PAPI", name);
	} else {
		minor = begin_papi(&papi);
		if (minor >= 0)
			list_components(to, &papi, minor);
		else
			probe_found(to, FINDING_ABSENT,
				    "%s does not start, or is not PAPI %d",
				    name, MAJOR);
	}
	if (to->state == FINDING_ABSENT)
		probe_instead(to, "sampling by time needs no PAPI");
}
