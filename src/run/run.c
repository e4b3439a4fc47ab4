/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - the life of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/comparison.h"
#include "base/err.h"
#include "run/run-build.h"
#include "run/values.h"

const struct run_kind_info run_kinds[RUN_KINDS] = {
#define KIND(id, name, group, role, ...)                                       \
	[RUN_##id] = { name, group, ROLE_##role },
#include "run/run-kinds.def"
#undef KIND
};

void run_idle_free(struct run_idle *idle)
{
	if (!idle)
		return;
	free(idle->nodes);
	free(idle->starts);
	free(idle);
}

#define GROUP(record)                                                          \
	void record##_fini(struct record *of)                                  \
	{
#define TABLE(record, array, ...) free(of->array);
#define END_GROUP                                                              \
	memset(of, 0, sizeof(*of));                                            \
	}
#include "run/run.def"

void run_free(struct run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->metric_count; i++) {
		free(run->metrics[i].stats);
		free(run->metrics[i].first);
		free(run->metrics[i].values);
		free(run->metrics[i].sums);
		run_idle_free(run->metrics[i].idle);
	}
	free(run->metrics);
	run_source_free(run->source);
	free(run->nodes);
	free(run->path_of);
	free(run->ranks);
	free(run->losses);
	free(run->problems);
	run_threads_fini(&run->threads);
	run_ends_fini(&run->ends);
	run_memory_fini(&run->memory);
	run_split_fini(&run->split);
	run_calls_fini(&run->calls);
	run_io_fini(&run->io);
	run_facts_fini(&run->facts);
	run_gpu_fini(&run->gpu);
	run_collectives_fini(&run->collectives);
	run_slices_fini(&run->slices);
	run_energy_fini(&run->energy);
	free(run->waits.kept);
	run_waits_fini(&run->waits);
	run_timeline_fini(&run->timeline);
	run_iterations_fini(&run->iterations);
	strings_fini(&run->strings);
	free(run);
}

const struct run_metric *run_metric(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->metric_count; i++)
		if (!strcmp(run->metrics[i].name, name))
			return &run->metrics[i];
	return NULL;
}

const struct run_iteration_rank *run_iterations_of(const struct run *run,
						   uint32_t rank)
{
	const struct run_iterations *all = &run->iterations;

	for (size_t i = 0; i < all->rank_count; i++)
		if (all->ranks[i].rank == rank)
			return all->ranks[i].count ? &all->ranks[i] : NULL;
	return NULL;
}

/* A call of MPI ends an iteration, a mark begins one. */
uint64_t run_iteration_number(const struct run_step *s, size_t row,
			      uint32_t *each)
{
	bool body = row >= s->head && s->each > 1;

	*each = body ? s->each : 1;
	return (s->marked ? 0 : 1) +
	       (body ? s->head + (row - s->head) * s->each : row);
}

void run_thread_pattern(char *to, const char *name)
{
	for (bool digits = false; *name; name++) {
		bool digit = *name >= '0' && *name <= '9';

		if (!digit || !digits)
			*to++ = digit ? '#' : *name;
		digits = digit;
	}
	*to = '\0';
}

bool run_is_sampled(const struct run_metric *metric)
{
	static const char *const sampled[] = { "cpu.time", "wall.time",
					       "samples" };

	for (size_t i = 0; i < sizeof(sampled) / sizeof(*sampled); i++)
		if (!strcmp(metric->name, sampled[i]))
			return true;
	return false;
}

int run_problem(struct run *run, const char *source, const char *text)
{
	size_t count = run->problem_count;
	struct run_problem *at;

	if (!ARRAY_RESIZE(run->problems, count + 1))
		return no_memory();
	at = run->problems;
	at[count].source = str_add(&run->strings, source);
	at[count].text = str_add(&run->strings, text);
	if (at[count].source == STR_NONE || at[count].text == STR_NONE)
		return no_memory();
	run->problem_count++;
	return 0;
}

int run_loss(struct run *run, const char *name, uint32_t rank, uint64_t count)
{
	uint32_t text = str_add(&run->strings, name);

	if (text == STR_NONE || !ARRAY_RESIZE(run->losses, run->loss_count + 1))
		return no_memory();
	run->losses[run->loss_count++] = (struct run_loss){ text, rank, count };
	return 0;
}

uint32_t run_frame(const struct run *run, uint32_t node)
{
	while (run_is_part(&run->nodes[node]))
		node = run->nodes[node].parent;
	return node;
}

uint32_t run_subtree_end(const struct run *run, uint32_t node)
{
	uint32_t end = node + 1;

	while (end < run->node_count && run->nodes[end].parent >= node)
		end++;
	return end;
}

ORDER_BY(by_gpu_known, struct run_gpu_known, ASC(rank))

uint64_t run_gpu_known(const struct run_gpu *gpu, uint32_t rank,
		       const struct run_rank *r)
{
	const struct run_gpu_known like = { .rank = rank }, *known = NULL;
	uint64_t ran =
		r->elapsed_ns > r->paused_ns ? r->elapsed_ns - r->paused_ns : 0;

	if (gpu->known_count)
		known = bsearch(&like, gpu->known, gpu->known_count,
				sizeof(like), by_gpu_known);
	return known && known->ns < ran ? known->ns : ran;
}

const char *run_collective_name(uint32_t function)
{
	static const char *const names[] = {
#define COLLECTIVE(id, word, name) name,
#include "base/collectives.def"
#undef COLLECTIVE
	};

	return names[function < LIVE_COLLECTIVES ? function : 0];
}
