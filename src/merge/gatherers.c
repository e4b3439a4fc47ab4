/* SPDX-License-Identifier: BSD-3-Clause */
/* gatherers.c - one after another. */
#include <stdlib.h>

#include "base/err.h"
#include "merge/gatherers.h"

static const struct gatherer *const gatherers[] = {
#define GATHERER(name) &gatherer_##name,
#include "merge/gatherers.inc"
#undef GATHERER
};

int gatherers_init(struct gatherers *g)
{
	int err = 0;

	for (size_t i = 0; i < GATHERERS && !err; i++) {
		g->states[i] = calloc(1, gatherers[i]->size + 1);
		if (!g->states[i])
			err = no_memory();
		else if (gatherers[i]->init)
			err = gatherers[i]->init(g->states[i]);
	}
	return err;
}

void gatherers_fini(struct gatherers *g)
{
	for (size_t i = 0; i < GATHERERS; i++) {
		if (g->states[i] && gatherers[i]->fini)
			gatherers[i]->fini(g->states[i]);
		free(g->states[i]);
	}
	*g = (struct gatherers){ 0 };
}

int gatherers_look(void *found[GATHERERS], const struct profile *profile)
{
	int err = 0;

	for (size_t i = 0; i < GATHERERS && !err; i++)
		if (gatherers[i]->look)
			err = gatherers[i]->look(&found[i], profile);
	return err;
}

int gatherers_add(struct gatherers *g, struct gathered one,
		  void *const found[GATHERERS])
{
	int err = 0;

	for (size_t i = 0; i < GATHERERS && !err; i++) {
		one.found = found[i];
		if (gatherers[i]->add)
			err = gatherers[i]->add(g->states[i], &one);
	}
	return err;
}

void gatherers_wanted(const struct gatherers *g, bool *wanted)
{
	for (size_t i = 0; i < GATHERERS; i++)
		if (gatherers[i]->wanted)
			gatherers[i]->wanted(g->states[i], wanted);
}

int gatherers_finish(struct gatherers *g, struct run *run,
		     const uint32_t *order, const uint32_t *became)
{
	int err = 0;

	for (size_t i = 0; i < GATHERERS && !err; i++)
		if (gatherers[i]->finish)
			err = gatherers[i]->finish(g->states[i], run, order,
						   became);
	return err;
}
