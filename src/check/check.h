/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check.h - what works on this machine, what does not and why, what copse
 * does instead, and what an administrator would change.
 *
 * Failure   Nothing fails: whatever goes wrong is an answer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/settings.h"

enum finding_state {
	FINDING_YES,
	FINDING_LIMITED, /* works, with less than could be had */
	FINDING_ABSENT,  /* not here, and copse measures without it */
	FINDING_NO,      /* copse cannot measure because of it */
	FINDING_STATES
};

struct finding {
	enum finding_state state;
	char found[384];   /* what is, and why */
	char instead[192]; /* what copse does about it; "": nothing */
	char mend[192];    /* what an administrator would do; "": nothing */
};

struct doctor { /* for whom it is asked */
	const struct settings *settings;
	const char *output; /* a directory */
};

struct probe {
	const char *name, *group;
	void (*ask)(struct finding *to, const struct doctor *d);
	bool apart;
};

extern const struct probe doctor_probes[];
extern const size_t doctor_probe_count;

void check_ask(const struct probe *probe, const struct doctor *d,
	       struct finding *to);
