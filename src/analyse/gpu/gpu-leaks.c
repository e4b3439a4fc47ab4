/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gpu-leaks.c - what the summary says of GPUs' memory.
 *
 * A leak is only spoken of where memory was still growing: what is allocated
 * once and left to the end of the process, or kept by an allocator that gives
 * nothing back, is no fault.  A process must have ended by itself and left more
 * than 1 % of its peak, and 1 MiB; one call path must have left 10 allocations;
 * and on a device, or the host, more must have been live at the end than at any
 * time up to the middle, by a quarter of what that path left, and still than
 * before the last eighth, by a thirtieth: a framework that is done with
 * importing late takes in the second half what it will work with.
 */
#include <math.h>
#include <stdlib.h>

#include "analyse/gpu/gpu-findings.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/gpu/gpu-held.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "base/err.h"
#include "live/layout.h"
#include "run/values.h"
#include "profile/profile.h"

#define LEAST_SHARE  0.01
#define LEAST_BYTES  1048576.0
#define LEAST_COUNT  10
#define LEAST_GROWTH 0.25 /* of what a path left, from the middle on */
#define LEAST_LATELY 0.03 /* in the last eighth */

/* Of each process. */
struct process {
	double peak;   /* of its devices and its host, together */
	double grown;  /* in the second half: the most of any of them */
	double lately; /* in the last eighth */
};

struct leak {
	uint32_t node, rank;
	double bytes, count;
};

/* What grew on it after so many eighths of the time that it had any. */
static double holder_growth(const struct run *run, size_t holder,
			    uint64_t eighths)
{
	const struct run_holder *h = &run->facts.holders[holder];
	uint64_t end = run->ranks[h->rank].elapsed_ns;
	uint64_t until = h->first_ns + (end - h->first_ns) / 8 * eighths;

	if (end <= h->first_ns)
		return 0;
	return (double)h->live - gpu_held_between(run, holder, 0, until);
}

static struct process *leaking_processes(const struct run *run)
{
	struct process *all = calloc(run->rank_count + 1, sizeof(*all));

	for (size_t i = 0; all && i < run->facts.holder_count; i++) {
		const struct run_holder *h = &run->facts.holders[i];
		struct process *p = &all[h->rank];

		p->peak += (double)h->peak;
		p->grown = fmax(p->grown, holder_growth(run, i, 4));
		p->lately = fmax(p->lately, holder_growth(run, i, 7));
	}
	return all;
}

static bool is_leak(const struct run *run, const struct process *all,
		    const struct leak *leak)
{
	const struct process *p = &all[leak->rank];

	return run->ranks[leak->rank].end == END_EXIT &&
	       leak->count >= LEAST_COUNT && leak->bytes >= LEAST_BYTES &&
	       leak->bytes > LEAST_SHARE * p->peak &&
	       p->grown >= LEAST_GROWTH * leak->bytes &&
	       p->lately >= LEAST_LATELY * leak->bytes;
}

/* What a node left in each process that left anything. */
struct left {
	struct value_buffer buffer;
	const struct run_value *at;
	size_t count;
};

static int left_read(struct left *left, const struct run *run,
		     enum metric metric, uint32_t node)
{
	const struct run_metric *m = run_metric(run, metric_infos[metric].name);

	left->count = 0;
	return m ? values_of_node(run, (size_t)(m - run->metrics), node,
				  &left->buffer, &left->at, &left->count)
		 : 0;
}

/* Both have a value for the same processes: what was left has a number. */
static void find_worst(const struct run *run, const struct process *all,
		       uint32_t node, const struct left *bytes,
		       const struct left *count, struct leak *worst)
{
	size_t c = 0;

	for (size_t v = 0; v < bytes->count; v++) {
		struct leak leak = { node, bytes->at[v].rank,
				     (double)bytes->at[v].value, 0 };

		while (c < count->count && count->at[c].rank < leak.rank)
			c++;
		if (c < count->count && count->at[c].rank == leak.rank)
			leak.count = (double)count->at[c].value;
		if (leak.bytes > worst->bytes && is_leak(run, all, &leak))
			*worst = leak;
	}
}

static int worst_of_all(const struct run *run, const struct process *all,
			struct leak *worst)
{
	struct left bytes = { 0 }, count = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < run->node_count && !err; i++) {
		if (run->nodes[i].kind != RUN_GPU_MEMORY)
			continue;
		err = left_read(&bytes, run, METRIC_GPU_LEAKED, i);
		if (!err)
			err = left_read(&count, run, METRIC_GPU_LEAKS, i);
		if (!err)
			find_worst(run, all, i, &bytes, &count, worst);
	}
	value_buffer_fini(&bytes.buffer);
	value_buffer_fini(&count.buffer);
	return err;
}

static void say_leak(struct report *report, const struct paths *paths,
		     const struct leak *leak)
{
	const struct run *run = paths->run;
	char *path =
		paths_short(paths, paths->at[paths->of[leak->node]].parent, 4);
	char bytes[32];

	report->failed |= !path;
	if (path)
		report_line(
			report,
			"! Memory of GPUs leaks: %s %llu left %s in %.0f "
			"allocations, and it was still growing: %s (copse "
			"report gpu-memory).",
			processes_noun(run),
			(unsigned long long)processes_number(run, leak->rank),
			phrase_bytes(bytes, leak->bytes), leak->count, path);
	free(path);
}

/* Where one process had most on one device. */
static void say_peak(struct report *report, const struct run *run)
{
	const struct run_holder *most = NULL;
	char bytes[32];

	for (size_t i = 0; i < run->facts.holder_count; i++) {
		const struct run_holder *h = &run->facts.holders[i];

		if (h->device != RUN_HOST && (!most || h->peak > most->peak))
			most = h;
	}
	if (most && most->peak)
		report_line(
			report,
			"Memory of GPUs: at most %s on one, by %s %llu.",
			phrase_bytes(bytes, (double)most->peak),
			processes_noun(run),
			(unsigned long long)processes_number(run, most->rank));
}

int findings_gpu_memory(struct report *report, const struct paths *paths)
{
	const struct run *run = paths->run;
	struct process *all;
	struct leak worst = { 0 };
	int err;

	if (!run->facts.holder_count)
		return 0;
	say_peak(report, run);
	all = leaking_processes(run);
	err = all ? worst_of_all(run, all, &worst) : no_memory();
	if (!err && worst.bytes > 0)
		say_leak(report, paths, &worst);
	free(all);
	return err;
}
