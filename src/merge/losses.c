/* SPDX-License-Identifier: BSD-3-Clause */
/* losses.c - what each process lost, and how often. */
#include <stdlib.h>

#include "base/comparison.h"
#include "merge/gatherers.h"
#include "run/run-build.h"

static int gather_losses(void *state, const struct gathered *one)
{
	const struct profile *p = one->profile;
	int err = 0;

	(void)state;
	for (size_t i = 0; i < p->loss_count && !err; i++)
		if (p->losses[i].count)
			err = run_loss(one->run, p->losses[i].name,
				       one->process, p->losses[i].count);
	return err;
}

ORDER_BY(by_loss_name, struct run_loss, ASC(rank) ?: ASC(name))

static int finish_losses(void *state, struct run *run, const uint32_t *order,
			 const uint32_t *became)
{
	(void)state;
	(void)became;
	for (size_t i = 0; i < run->loss_count; i++)
		run->losses[i].rank = order[run->losses[i].rank];
	if (run->loss_count)
		qsort(run->losses, run->loss_count, sizeof(*run->losses),
		      by_loss_name);
	return 0;
}

const struct gatherer gatherer_losses = { .add = gather_losses,
					  .finish = finish_losses };
