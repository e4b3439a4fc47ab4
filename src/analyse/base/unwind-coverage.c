/* SPDX-License-Identifier: BSD-3-Clause */
/* unwind-coverage.c - samples below a node of partial paths, and dropped ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/measuring.h"
#include "base/err.h"

static double dropped_samples(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->loss_count; i++) {
		const struct run_loss *loss = &run->losses[i];

		if (!strncmp(str_at(&run->strings, loss->name), "dropped.", 8))
			sum += (double)loss->count;
	}
	return sum;
}

/* Of a joined path frames are left out, but some callers are known. */
static bool ends_early(const struct run *run, const struct run_node *node)
{
	return node->kind == RUN_PARTIAL &&
	       (!node->parent ||
		strncmp(str_at(&run->strings, node->function), "joined.", 7));
}

int coverage_of(struct complete *to, const struct run *run)
{
	const struct run_metric *samples = run_metric(run, "samples");
	bool *early = calloc(run->node_count + 1, sizeof(*early));

	*to = (struct complete){ .dropped = dropped_samples(run) };
	to->ticks = to->dropped;
	if (!early)
		return fail(-ENOMEM, "no memory for %zu contexts",
			    run->node_count);
	for (size_t i = 0; samples && i < run->node_count; i++) {
		const struct run_node *node = &run->nodes[i];

		early[i] = ends_early(run, node) || early[node->parent];
		to->ticks += samples->stats[i].sum;
		if (!early[i])
			to->complete += samples->stats[i].sum;
	}
	free(early);
	return 0;
}
