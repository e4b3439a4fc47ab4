/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gatherers.h - all gatherers (run/gatherer.h), in their order.
 *
 * Failure   0, or -ENOMEM with a reason.
 */
#pragma once

#include "run/gatherer.h"

enum {
#define GATHERER(name) GATHERER_##name,
#include "merge/gatherers.inc"
#undef GATHERER
	GATHERERS
};

#define GATHERER(name) extern const struct gatherer gatherer_##name;
#include "merge/gatherers.inc"
#undef GATHERER

struct gatherers {               /* all zero: none */
	void *states[GATHERERS]; /* by GATHERER_NAME */
};

int gatherers_init(struct gatherers *g);
void gatherers_fini(struct gatherers *g);

/* Of one profile: found[] is all NULL at first, and each is to be freed. */
int gatherers_look(void *found[GATHERERS], const struct profile *profile);

/* As each gatherer's own; one->found is taken from found[]. */
int gatherers_add(struct gatherers *g, struct gathered one,
		  void *const found[GATHERERS]);
void gatherers_wanted(const struct gatherers *g, bool *wanted);
int gatherers_finish(struct gatherers *g, struct run *run,
		     const uint32_t *order, const uint32_t *became);
