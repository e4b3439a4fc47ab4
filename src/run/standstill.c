/* SPDX-License-Identifier: BSD-3-Clause */
/* standstill.c - see standstill.h. */
#include "run/standstill.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

/* A process has several threads: the one that is in it for longest. */
static void add_to_standstill(struct standstill *to, const struct run *run,
			      const struct run_last_call *call)
{
	double age = (double)call->begin_age_ns;
	bool is_mpi = run->nodes[call->node].kind == RUN_MPI;

	if (is_mpi && call->open && age > to->never_ns) {
		to->never_ns = age;
		to->never_node = call->node;
	}
	if (is_mpi && call->completed_age_ns)
		to->still_ns =
			fmin(to->still_ns, (double)call->completed_age_ns);
}

struct standstill *standstill_of(const struct run *run)
{
	struct standstill *to = calloc(run->rank_count + 1, sizeof(*to));
	double longest = 0;

	if (!to) {
		no_memory();
		return NULL;
	}
	for (size_t i = 0; i < run->rank_count; i++)
		to[i].still_ns = INFINITY;
	for (size_t i = 0; i < run->ends.call_count; i++) {
		const struct run_last_call *call = &run->ends.calls[i];

		add_to_standstill(&to[call->rank], run, call);
		longest = fmax(longest, to[call->rank].never_ns);
	}
	for (size_t i = 0; i < run->rank_count; i++) {
		double since = fmax(to[i].still_ns, to[i].never_ns);

		to[i].still_ns = isinf(since) ? 0 : fmin(since, longest);
	}
	return to;
}
