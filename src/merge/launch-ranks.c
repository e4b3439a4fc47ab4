/* SPDX-License-Identifier: BSD-3-Clause */
/* launch-ranks.c - ranks by the variables of a launcher that is not MPI's. */
#include <stdlib.h>

#include "base/comparison.h"
#include "base/err.h"
#include "merge/run-processes.h"

#define FAR_LESS 10 /* times the CPU time: who has that less does not count */

/* MPI, if it was called, knows of no ranks: each process is alone in it. */
static bool has_launch_ranks(const struct run *run)
{
	bool launched = false;

	for (size_t i = 0; i < run->rank_count; i++) {
		if (run->ranks[i].rank >= 0 && run->ranks[i].job.size > 1)
			return false;
		launched |= run->ranks[i].launch_size > 0;
	}
	return launched;
}

struct launched { /* a process with a launcher's variables */
	uint32_t size, rank, process;
	uint64_t start_ns, cpu_ns;
	bool helps;  /* it has a role beside the rank's */
	bool starts; /* the rank: a shell, or what became another program */
};

ORDER_BY(by_launched, struct launched,
	 DESC(size) ?: ASC(rank) ?: ASC(helps) ?: ASC(starts) ?:
	 ASC(start_ns) ?: ASC(process))

static size_t find_launched(struct run *run, const bool *predecessors,
			    struct launched *to)
{
	size_t count = 0;

	for (size_t i = 0; i < run->rank_count; i++) {
		struct run_rank *r = &run->ranks[i];

		r->rank = -1;
		r->world_id = 0;
		if (r->launch_size)
			to[count++] = (struct launched){
				.size = r->launch_size,
				.rank = r->launch_rank,
				.process = (uint32_t)i,
				.start_ns = r->start_real_ns,
				.cpu_ns = r->cpu_ns,
				.helps = r->role,
				.starts = predecessors[i] ||
					  process_is_shell(run, r),
			};
	}
	return count;
}

/*
 * Of one rank's the first that counts: of those that start others, as shells
 * do, only if no other counts.
 */
static size_t main_launch(const struct launched *at, size_t count)
{
	uint64_t most = 0;
	size_t i = 0;

	for (size_t n = 0; n < count; n++)
		if (at[n].helps == at->helps && at[n].cpu_ns > most)
			most = at[n].cpu_ns;
	while (at[i].helps != at->helps || at[i].cpu_ns * FAR_LESS < most)
		i++;
	return i;
}

int launch_ranks_take(struct run *run, const bool *predecessors)
{
	struct launched *all = calloc(run->rank_count + 1, sizeof(*all));
	size_t count;

	if (!all)
		return no_memory();
	count = has_launch_ranks(run) ? find_launched(run, predecessors, all)
				      : 0;
	qsort(all, count, sizeof(*all), by_launched);
	for (size_t i = 0, end; i < count; i = end) {
		const struct launched *of;
		struct run_rank *r;

		for (end = i + 1; end < count && all[end].size == all[i].size &&
				  all[end].rank == all[i].rank;)
			end++;
		of = &all[i + main_launch(&all[i], end - i)];
		r = &run->ranks[of->process];
		r->rank = (int32_t)of->rank;
		r->job.size = of->size;
	}
	free(all);
	return 0;
}
