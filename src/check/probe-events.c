/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * probe-events.c - the events that copse run -e takes here: each that has a
 * name is opened, and they are told by whose they are.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "check/probe.h"
#include "launch/events.h"

enum {
	MOST_FAMILIES = 24
};

struct event_family {
	char name[32];
	unsigned int known, counted;
};

struct families {
	struct event_family at[MOST_FAMILIES];
	size_t count;
};

/* "perf::PAGE-FAULTS", "PAPI_TOT_CYC". */
static void name_family(char *to, size_t size, const char *event)
{
	const char *colons = strstr(event, "::");

	if (colons)
		snprintf(to, size, "%.*s::", (int)(colons - event), event);
	else
		snprintf(to, size, "PAPI_");
}

static void note_event(void *to, const char *event, bool counts)
{
	struct families *f = to;
	char name[sizeof(f->at[0].name)];
	size_t i = 0;

	name_family(name, sizeof(name), event);
	while (i < f->count && strcmp(f->at[i].name, name) != 0)
		i++;
	if (i == MOST_FAMILIES)
		return;
	if (i == f->count)
		strcpy(f->at[f->count++].name, name);
	f->at[i].known++;
	f->at[i].counted += counts;
}

static void tell_events(struct finding *to, const struct families *f)
{
	unsigned int hardware = 0, all = 0;
	char text[sizeof(to->found)] = "";
	size_t used = 0;

	for (size_t i = 0; i < f->count && used < sizeof(text); i++) {
		const struct event_family *each = &f->at[i];

		used += (size_t)snprintf(
			text + used, sizeof(text) - used, "%s%s %u of %u",
			i ? ", " : "", each->name, each->counted, each->known);
		all += each->counted;
		if (strcmp(each->name, "perf::") != 0)
			hardware += each->counted;
	}
	probe_found(to,
		    hardware ? FINDING_YES
		    : all    ? FINDING_LIMITED
			     : FINDING_ABSENT,
		    "%s", text);
	if (!hardware)
		probe_instead(to, "%s",
			      all ? "the kernel's own: copse run -e "
				    "perf::PAGE-FAULTS"
				  : "sampling by time needs no events");
}

void probe_events(struct finding *to, const struct doctor *d)
{
	struct families f = { 0 };

	(void)d;
	if (!events_each(note_event, &f)) {
		tell_events(to, &f);
		return;
	}
	probe_found(to, FINDING_ABSENT, "%s", fail_reason());
	probe_instead(to, "sampling by time needs no events");
	probe_mend(to, "install PAPI 7 with libpfm, and build copse with it");
}
