/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host-steps.c - how many steps a program made: what it says itself, or calls
 * of CUDA whose numbers are multiples of one of them.
 */
#include "analyse/gpu/host-steps.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analyse/base/value.h"
#include "base/comparison.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/map.h"
#include "live/layout.h"
#include "run/startup.h"

#define NS      1e9
#define LEAST   8      /* steps */
#define MOST_OF 0.5    /* of the time with GPU work is in steps */
#define SITES   0.8    /* of the calls: they are in each step */
#define OFF     0.02   /* of a step's calls, once more or less */
#define ONCE    0.03   /* of all calls: they are once in each step … */
#define WAIT    0.5    /* … or so much of those that wait for GPUs */
#define SHORT   0.0002 /* seconds: what is shorter is no step */
#define TRIED   256

/*
 * Ranges.
 */

static int sum_range_time(const struct run *run, double *ns, double *calls,
			  uint32_t *name, size_t *count)
{
	const struct run_facts *g = &run->facts;
	struct map map = { 0 };

	for (size_t i = 0; i < g->range_count; i++) {
		const struct run_range *r = &g->ranges[i];
		uint32_t at = map_put(&map, r->name, 0, (uint32_t)*count);

		if (at == MAP_NONE) {
			map_fini(&map);
			return no_memory();
		}
		if (at == *count)
			name[(*count)++] = r->name;
		ns[at] += r->launches ? (double)r->time_ns : 0;
		calls[at] += (double)r->calls;
	}
	map_fini(&map);
	return 0;
}

static void take_step_range(struct host_steps *to, const struct run *run,
			    uint32_t name, double processes)
{
	const struct run_facts *g = &run->facts;
	double calls = 0, ns = 0, busy = 0;

	for (size_t i = 0; i < g->range_count; i++) {
		const struct run_range *r = &g->ranges[i];

		if (r->name != name)
			continue;
		calls += (double)r->calls;
		ns += (double)r->time_ns;
		busy += (double)(r->time_ns - (r->idle_ns < r->time_ns
						       ? r->idle_ns
						       : r->time_ns));
	}
	*to = (struct host_steps){ .source = HOST_STEPS_RANGES,
				   .name = str_at(&run->strings, name),
				   .count = calls / processes,
				   .seconds = ns / NS / calls,
				   .work = busy / NS / calls };
}

/* The one with most time of those that were open often. */
static int find_step_range(struct host_steps *to, const struct run *run,
			   double processes, double seconds)
{
	size_t room = run->facts.range_count + 1, count = 0, best = room;
	double *ns = calloc(room, sizeof(*ns));
	double *calls = calloc(room, sizeof(*calls));
	uint32_t *name = calloc(room, sizeof(*name));
	int err = ns && calls && name
			  ? sum_range_time(run, ns, calls, name, &count)
			  : no_memory();

	for (size_t i = 0; i < count && !err; i++)
		if (calls[i] >= LEAST * processes &&
		    ns[i] >= MOST_OF * seconds * processes * NS &&
		    (best == room || ns[i] > ns[best]))
			best = i;
	if (best < room)
		take_step_range(to, run, name[best], processes);
	free(ns);
	free(calls);
	free(name);
	return err;
}

/*
 * Iterations.
 */

static void find_iterations(struct host_steps *to, const struct run *run,
			    double seconds)
{
	const struct run_iterations *it = &run->iterations;
	double us = 0, gpu = 0, count = 0;

	for (size_t i = 0; i < it->rank_count && it->step_count; i++) {
		const struct run_iteration_rank *r = &it->ranks[i];

		count += (double)r->iterations;
		for (uint32_t k = r->first; k < r->first + r->count; k++) {
			us += it->rows[k].us;
			gpu += it->rows[k].gpu_us;
		}
	}
	if (!it->step_count || count < LEAST * (double)it->rank_count ||
	    us / 1e6 < MOST_OF * seconds * (double)it->rank_count)
		return;
	*to = (struct host_steps){ .source = HOST_STEPS_ITERATIONS,
				   .count = count / (double)it->rank_count,
				   .seconds = us / 1e6 / count,
				   .work = gpu / 1e6 / count };
}

/*
 * Calls.
 */

static bool is_call_of_step(const char *name)
{
	const char *verb = gpu_call_verb(name);

	return gpu_call_launches_kernel(name) ||
	       gpu_call_launches_graph(name) || gpu_call_waits(name) ||
	       !strncmp(verb, "Mem", 3);
}

/* How often a place makes such calls, in a process. */
struct step_site {
	double calls;
	bool waits;
};

static size_t count_sites(struct step_site *to, const struct run *run,
			  const uint8_t *startup, double processes)
{
	const struct run_metric *calls =
		run_metric(run, metric_infos[METRIC_GPU_CALLS].name);
	size_t count = 0;

	for (uint32_t n = 1; calls && n < run->node_count; n++) {
		const char *name =
			str_at(&run->strings, run->nodes[n].function);
		double each;

		if (run->nodes[n].kind != RUN_GPU_CALL ||
		    startup[n] != STARTUP_NONE || !is_call_of_step(name))
			continue;
		each = value_node(calls, n) / processes;
		if (each >= LEAST)
			to[count++] =
				(struct step_site){ each,
						    gpu_call_waits(name) };
	}
	return count;
}

static bool is_multiple(double calls, double steps)
{
	double times = calls / steps;

	return times > 1 - OFF && fabs(times - round(times)) <= OFF;
}

/*
 * Nearly all fit, and some of them are once in each step: what was called at
 * start-up alone divides any number of calls.
 */
static bool is_number_of_steps(const struct step_site *sites, size_t count,
			       double steps)
{
	double fit = 0, once = 0, all = 0, once_waits = 0, waits = 0;

	for (size_t i = 0; i < count; i++) {
		double calls = sites[i].calls;
		bool fits = fabs(calls - steps) <= OFF * steps;

		fit += is_multiple(calls, steps);
		all += calls;
		once += fits ? calls : 0;
		waits += sites[i].waits ? calls : 0;
		once_waits += fits && sites[i].waits ? calls : 0;
	}
	return fit >= SITES * (double)count &&
	       (once >= ONCE * all ||
		(waits > 0 && once_waits >= WAIT * waits));
}

ORDER_BY(by_most_calls, struct step_site, DESC(calls))

/* The largest number that fits nearly all, but of loops inside of steps. */
static double choose_host_steps(struct step_site *sites, size_t count,
				double seconds)
{
	double last = 0;
	size_t tried = 0;

	qsort(sites, count, sizeof(*sites), by_most_calls);
	for (size_t i = 0; i < count && tried < TRIED; i++) {
		double steps = sites[i].calls;

		if (last - steps <= OFF * last && i)
			continue;
		last = steps;
		tried++;
		if (seconds >= SHORT * steps &&
		    is_number_of_steps(sites, count, steps))
			return steps;
	}
	return 0;
}

static int find_call_steps(struct host_steps *to, const struct run *run,
			   double processes, double seconds)
{
	struct step_site *sites = calloc(run->node_count + 1, sizeof(*sites));
	uint8_t *startup = startup_nodes(run);
	size_t count = 0;
	int err = sites && startup ? 0 : no_memory();

	if (!err)
		count = count_sites(sites, run, startup, processes);
	if (count > 1)
		to->count = choose_host_steps(sites, count, seconds);
	if (to->count > 0)
		to->source = HOST_STEPS_CALLS;
	free(startup);
	free(sites);
	return err;
}

int host_steps_of(struct host_steps *to, const struct run *run,
		  double processes, double seconds)
{
	int err;

	*to = (struct host_steps){ 0 };
	err = find_step_range(to, run, processes, seconds);
	if (!err && !to->source)
		find_iterations(to, run, seconds);
	if (!err && !to->source)
		err = find_call_steps(to, run, processes, seconds);
	return err;
}
