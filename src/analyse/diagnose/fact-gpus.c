/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-gpus.c - the GPUs of a run: how even their work is, and how much of the
 * time goes into launching it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/diagnose/facts.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/gpu/gpu-work.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/gpu-calls.h"

#define NS 1e9

#define GPU_FIELDS(FIELD)                                                      \
	FIELD(DEVICES, "devices", NUMBER, "GPUs that were used")               \
	FIELD(PROCESSES, "processes", NUMBER, "that used GPUs")                \
	FIELD(BUSY, "busy", SECONDS, "GPUs worked, all together")              \
	FIELD(BUSY_SHARE, "busy_share", SHARE, "of the time of GPUs")          \
	FIELD(KERNELS, "kernels", COUNT, "kernels and graphs that ran")        \
	FIELD(KERNEL_TIME, "kernel_time", SECONDS, "of all kernels")           \
	FIELD(KERNEL_EACH, "each", SECONDS, "mean of a kernel")                \
	FIELD(LAUNCH_TIME, "launch_time", SECONDS,                             \
	      "in calls that launch them")                                     \
	FIELD(KERNEL_SHARE, "kernel_share", SHARE,                             \
	      "kernels, of kernels and launches together")                     \
	FIELD(LAUNCHING, "launching", SECONDS,                                 \
	      "in which GPUs were idle and their processes in such calls")     \
	FIELD(BOUND, "launch_bound", NUMBER,                                   \
	      "1: many kernels, and GPUs idle for long, mostly in such calls") \
	FIELD(GRAPHS, "graphs", COUNT, "launches of graphs")                   \
	FIELD(LAUNCH_GAIN, "launch_gain", SECONDS, "the same, of a process")   \
	FIELD(UNITS, "units", NUMBER,                                          \
	      "that are compared: GPUs, or processes of the only one")         \
	FIELD(LEAST, "least", SECONDS, "work of the one with least")           \
	FIELD(MOST, "most", SECONDS, "work of the one with most")              \
	FIELD(BALANCE, "balance", NUMBER, "least over most")                   \
	FIELD(EVEN_GAIN, "even_gain", SECONDS,                                 \
	      "most above the mean; at most the GPU's idle time where "        \
	      "processes share it")                                            \
	FIELD(SECONDS, "seconds", SECONDS,                                     \
	      "GPUs or processes had less work than the one with most")        \
	FIELD(FUNCTION, "function", TEXT,                                      \
	      "the function with most time in launches")                       \
	FIELD(LEAST_NAME, "least_name", TEXT, "the one with least work")       \
	FIELD(MOST_NAME, "most_name", TEXT, "the one with most work")          \
	FIELD(MOST_RANKS, "ranks", TEXT, "with most work")

FACT_TABLE(gpu_fields, GPU_FIELDS)

/* Work of GPUs, or of the processes that share one. */
struct compared {
	size_t count, least, most; /* most: index into its table */
	double sum, least_seconds, most_seconds;
};

static void compare_one(struct compared *c, size_t i, double seconds)
{
	if (!c->count || seconds < c->least_seconds) {
		c->least = i;
		c->least_seconds = seconds;
	}
	if (!c->count || seconds > c->most_seconds) {
		c->most = i;
		c->most_seconds = seconds;
	}
	c->sum += seconds;
	c->count++;
}

static char *process_name(const struct run *run, uint32_t rank)
{
	return str_format("%s %llu", processes_noun(run),
			  (unsigned long long)processes_number(run, rank));
}

/* The processes that used a device, as text; NULL: out of memory. */
static char *name_users(struct fact *f, const struct run *run, size_t device)
{
	const struct run_gpu *g = &run->gpu;
	uint32_t *ranks = calloc(g->share_count + 1, sizeof(*ranks));
	size_t count = 0;
	char *text;

	if (!ranks)
		return NULL;
	for (size_t i = 0; i < g->share_count; i++)
		if (g->shares[i].device == device)
			ranks[count++] = g->shares[i].rank;
	text = fact_name_ranks(f, ranks, count)
		       ? processes_list(run, ranks, count)
		       : NULL;
	free(ranks);
	return text;
}

static int name_compared(struct fact *f, const struct run *run,
			 const struct compared *c)
{
	const struct run_gpu *g = &run->gpu;

	if (g->device_count > 1) {
		f->values[LEAST_NAME].text = gpu_device_name(run, c->least);
		f->values[MOST_NAME].text = gpu_device_name(run, c->most);
		f->values[MOST_RANKS].text = name_users(f, run, c->most);
	} else {
		uint32_t most = g->ranks[c->most].rank;

		f->values[LEAST_NAME].text =
			process_name(run, g->ranks[c->least].rank);
		f->values[MOST_NAME].text = process_name(run, most);
		f->values[MOST_RANKS].text =
			fact_name_ranks(f, &most, 1)
				? processes_list(run, &most, 1)
				: NULL;
	}
	return f->values[LEAST_NAME].text && f->values[MOST_NAME].text &&
			       f->values[MOST_RANKS].text
		       ? 0
		       : no_memory();
}

static int set_balance(struct fact *f, const struct fact_source *from,
		       const struct gpu_busy *busy)
{
	const struct run_gpu *g = &from->run->gpu;
	struct compared c = { 0 };
	double limit = from->elapsed;

	if (g->device_count > 1) {
		for (size_t i = 0; i < g->device_count; i++)
			compare_one(&c, i, gpu_own_seconds(&g->devices[i]));
	} else {
		for (size_t i = 0; i < g->rank_count; i++)
			compare_one(&c, i, (double)g->ranks[i].busy_ns / NS);
		limit = fmax(busy->elapsed - busy->busy, 0);
	}
	if (c.count < 2)
		return 0;
	f->values[UNITS].number = (double)c.count;
	f->values[LEAST].number = c.least_seconds;
	f->values[MOST].number = c.most_seconds;
	f->values[BALANCE].number =
		value_ratio(c.least_seconds, c.most_seconds);
	f->values[EVEN_GAIN].number =
		fmin(c.most_seconds - c.sum / (double)c.count, limit);
	f->values[SECONDS].number = c.most_seconds * (double)c.count - c.sum;
	return name_compared(f, from->run, &c);
}

static bool begins_kernels(const struct run *run, const struct gpu_row *row)
{
	const char *name = str_at(&run->strings, row->function);

	return gpu_call_launches_kernel(name) || gpu_call_launches_graph(name);
}

/* Calls by path, the longest first: so is the function with most of it. */
static int set_launches(struct fact *f, const struct fact_source *from)
{
	const struct paths *paths = from->paths;
	struct gpu_work_rows calls;
	int err = gpu_work_init(&calls, paths, GPU_CALLS, false);

	for (size_t i = 0; i < calls.count && !err; i++) {
		uint32_t caller = paths->at[calls.at[i].path].parent;

		if (!begins_kernels(from->run, &calls.at[i]))
			continue;
		if (gpu_call_launches_graph(
			    str_at(&from->run->strings, calls.at[i].function)))
			f->values[GRAPHS].number += calls.at[i].count;
		f->values[LAUNCH_TIME].number += calls.at[i].seconds;
		if (f->values[FUNCTION].text)
			continue;
		f->path = calls.at[i].path;
		f->values[FUNCTION].text = paths_short(paths, caller, 2);
		if (!f->values[FUNCTION].text)
			err = no_memory();
	}
	gpu_work_fini(&calls);
	return err;
}

static int set_kernels(struct fact *f, const struct fact_source *from,
		       const struct gpu_busy *busy)
{
	struct gpu_work_rows kernels;
	int err = gpu_work_init(&kernels, from->paths, GPU_KERNELS, true);
	double count = kernels.total.count, seconds = kernels.total.seconds;
	double processes = (double)busy->processes;

	if (err)
		return err;
	gpu_work_fini(&kernels);
	f->values[KERNELS].number = count;
	f->values[KERNEL_TIME].number = seconds;
	f->values[KERNEL_EACH].number = value_ratio(seconds, count);
	err = set_launches(f, from);
	f->values[KERNEL_SHARE].number =
		value_ratio(seconds, seconds + f->values[LAUNCH_TIME].number);
	f->values[BOUND].number = gpu_busy_launch_bound(busy, count);
	f->values[LAUNCHING].number = fmin(busy->launching, busy->idle);
	f->values[LAUNCH_GAIN].number =
		fmin(value_ratio(f->values[LAUNCHING].number, processes),
		     from->elapsed);
	return err;
}

/* Nothing where no GPU was used, or it is not known to the end. */
static int gather_gpus(struct facts *to, struct fact_source *from)
{
	struct gpu_busy busy = gpu_busy_of(from->run);
	struct fact *f;
	int err;

	if (!busy.devices || from->run->gpu.known_count)
		return 0;
	f = facts_add(to, 0);
	if (!f)
		return no_memory();
	f->values[DEVICES].number = (double)busy.devices;
	f->values[PROCESSES].number = (double)busy.processes;
	f->values[BUSY].number = busy.busy;
	f->values[BUSY_SHARE].number = value_ratio(busy.busy, busy.elapsed);
	err = set_kernels(f, from, &busy);
	return err ? err : set_balance(f, from, &busy);
}

const struct fact_set fact_set_gpus = {
	.name = "gpus",
	.meaning = "the run: its GPUs and what launches their work",
	.fields = gpu_fields,
	.field_count = FIELDS,
	.counted = "kernels",
	.gather = gather_gpus,
};
