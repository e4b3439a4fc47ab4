/* SPDX-License-Identifier: BSD-3-Clause */
/* gpu-busy.c - sums over the devices and the processes that used them. */
#include "analyse/gpu/gpu-busy.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/interpreter.h"
#include "analyse/base/phrase.h"
#include "analyse/base/processes.h"
#include "analyse/base/value.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/str.h"
#include "live/layout.h"
#include "run/startup.h"

#define NS       1e9
#define BOUND    0.5  /* of the idle time: spent launching */
#define IDLE     0.3  /* of the time with work: less is no matter */
#define MANY     100  /* kernels: what a few do is their program's start */
#define OF_ONE   0.25 /* of all idle time: a call worth naming alone */
#define OF_CALLS 0.05 /* of the idle time: a call of Python's */
#define OF_BELOW 0.5  /* of the outermost path's: the innermost one with it */

double gpu_own_seconds(const struct run_device *d)
{
	double own = d->kernels_sum_ns + d->copies_ns - d->collective_ns;

	if (d->collective_ns <= 0)
		return d->busy_ns / NS;
	return fmax(fmin(own, d->busy_ns), 0) / NS;
}

static void add_busy_device(struct gpu_busy *b, const struct run_device *d,
			    size_t i)
{
	double own = gpu_own_seconds(d);

	b->devices++;
	b->shared |= d->shares > 1;
	b->busy += d->busy_ns / NS;
	b->mean += own;
	b->elapsed += fmax(d->elapsed_ns, d->busy_ns) / NS;
	if (!i || own > b->most) {
		b->most = own;
		b->most_device = i;
	}
}

/*
 * What ran in a pause is work that is not of the run's time.  Which pauses were
 * behind the last work is not known, so neither is the rest.
 */
static void add_busy_process(struct gpu_busy *b, const struct run *run,
			     const struct run_gpu_rank *g)
{
	const struct run_rank *r = &run->ranks[g->rank];
	double ran = (double)run_gpu_known(&run->gpu, g->rank, r) / NS;
	double work = fmin((double)g->busy_ns / NS, ran);
	double before = fmin((double)g->before_ns / NS, ran - work);
	double after = ran - before - (double)g->span_ns / NS;

	b->processes++;
	b->run += ran;
	b->work += work;
	b->before += before;
	b->paused |= r->paused_ns > 0;
	b->after += r->paused_ns ? 0 : fmax(after, 0);
	b->late_count += g->late;
	b->late += (double)g->late_ns / NS;
}

static bool launches_work(const struct run *run, uint32_t node)
{
	const char *name = str_at(&run->strings, run->nodes[node].function);

	return gpu_call_launches_kernel(name) || gpu_call_launches_graph(name);
}

/* A program that starts keeps its GPUs waiting, once. */
static void add_idle(struct gpu_busy *b, const struct run *run)
{
	const struct run_metric *m =
		run_metric(run, metric_infos[METRIC_GPU_IDLE].name);
	uint8_t *startup = m ? startup_nodes(run) : NULL;

	for (uint32_t i = 0; startup && i < run->node_count; i++) {
		double one = value_node(m, i);

		if (startup[i] != STARTUP_NONE) {
			b->startup += one;
			continue;
		}
		b->idle += one;
		if (one > 0 && run->nodes[i].kind == RUN_GPU_CALL &&
		    launches_work(run, i))
			b->launching += one;
	}
	free(startup);
}

struct gpu_busy gpu_busy_of(const struct run *run)
{
	const struct run_gpu *g = &run->gpu;
	struct gpu_busy b = { 0 };

	for (size_t i = 0; i < g->device_count; i++)
		add_busy_device(&b, &g->devices[i], i);
	if (!b.devices)
		return b;
	b.mean /= (double)b.devices;
	for (size_t i = 0; i < g->rank_count; i++)
		add_busy_process(&b, run, &g->ranks[i]);
	add_idle(&b, run);
	b.startup = fmin(b.startup, b.run - b.work - b.before);
	b.idle = fmin(b.idle, b.run - b.work - b.before - b.startup);
	b.after = fmin(b.after, b.run - b.work - b.before - b.startup - b.idle);
	b.unknown = b.run - b.work - b.before - b.startup - b.idle - b.after;
	b.between = b.idle + (b.paused ? 0 : b.unknown);
	return b;
}

/* The one whose GPUs are known for the shortest part of its time. */
static const struct run_gpu_known *least_known(const struct run *run)
{
	const struct run_gpu_known *least = run->gpu.known;

	for (size_t i = 1; i < run->gpu.known_count; i++)
		if (run->gpu.known[i].ns < least->ns)
			least = &run->gpu.known[i];
	return least;
}

char *gpu_known_text(const struct run *run)
{
	const struct run_gpu *g = &run->gpu;
	const struct run_gpu_known *least = least_known(run);
	const struct run_rank *r = &run->ranks[least->rank];
	char of[64] = ",", known[32], all[32];

	if (run->rank_count > 1)
		snprintf(of, sizeof(of), " in %zu of %zu %s,%s", g->known_count,
			 run->rank_count, run->world ? "ranks" : "processes",
			 g->known_count > 1 ? " the first" : "");
	return str_format(
		"GPU work is known only until the program's own tool took "
		"CUPTI%s after %s of %s.",
		of, phrase_time(known, (double)least->ns / NS),
		phrase_time(all,
			    ((double)r->elapsed_ns - (double)r->paused_ns) /
				    NS));
}

bool gpu_busy_launch_bound(const struct gpu_busy *b, double kernels)
{
	return kernels >= MANY && b->idle >= IDLE * (b->idle + b->work) &&
	       b->launching >= BOUND * b->idle;
}

/* Causes */

static bool is_gpu_call(const struct paths *paths, uint32_t path)
{
	enum run_kind kind = paths->run->nodes[paths->at[path].node].kind;

	return kind == RUN_MPI || kind == RUN_GPU_CALL;
}

static uint32_t largest_index(const double *of, size_t count)
{
	uint32_t most = 0;

	for (uint32_t i = 1; i < count; i++)
		if (of[i] > of[most])
			most = i;
	return most;
}

/* The child of a path that has the most; the path itself for none. */
static uint32_t largest_child(const struct paths *paths, uint32_t path,
			      const double *inclusive)
{
	uint32_t most = path, end = paths->at[path].end;

	for (uint32_t i = path + 1; i < end; i = paths->at[i].end)
		if (most == path || inclusive[i] > inclusive[most])
			most = i;
	return most;
}

static uint32_t descend_busy(const struct paths *paths, const double *inclusive)
{
	uint32_t at = largest_child(paths, 0, inclusive);
	double least = OF_BELOW * inclusive[at];

	while (!is_gpu_call(paths, at)) {
		uint32_t next = largest_child(paths, at, inclusive);

		if (next == at || inclusive[next] < least)
			break;
		at = next;
	}
	return at;
}

/* Whose it is: a thread that was off its core until a call was not in that. */
static uint32_t path_of_idle(const struct paths *paths, uint32_t node)
{
	const struct run *run = paths->run;
	uint32_t call = run->nodes[node].parent;

	if (run->nodes[node].kind == RUN_KERNEL &&
	    run->nodes[call].kind == RUN_GPU_CALL &&
	    !strcmp(str_at(&run->strings, run->nodes[node].function),
		    "[not running]"))
		node = run->nodes[call].parent;
	return paths->of[node];
}

int gpu_idle_values(const struct paths *paths, double *exclusive,
		    double *inclusive)
{
	const struct run *run = paths->run;
	const struct run_metric *m =
		run_metric(run, metric_infos[METRIC_GPU_IDLE].name);
	uint8_t *startup = startup_nodes(run);

	if (!startup)
		return -ENOMEM;
	for (size_t i = 0; i < paths->count; i++)
		exclusive[i] = 0;
	for (uint32_t i = 0; m && i < run->node_count; i++)
		if (startup[i] == STARTUP_NONE)
			exclusive[path_of_idle(paths, i)] += value_node(m, i);
	free(startup);
	for (size_t i = 0; inclusive && i < paths->count; i++)
		inclusive[i] = exclusive[i];
	for (size_t i = paths->count; inclusive && i-- > 1;)
		inclusive[paths->at[i].parent] += inclusive[i];
	return 0;
}

int gpu_idle_cause(const struct paths *paths, uint32_t *path, double *seconds)
{
	double *exclusive = calloc(paths->count + 1, sizeof(*exclusive));
	double *inclusive = calloc(paths->count + 1, sizeof(*inclusive));
	int err = exclusive && inclusive ? 0 : no_memory();

	*path = 0;
	*seconds = 0;
	if (!err)
		err = gpu_idle_values(paths, exclusive, inclusive);
	if (!err) {
		*path = largest_index(exclusive, paths->count);
		*seconds = exclusive[*path];
		if (!is_gpu_call(paths, *path) ||
		    *seconds < OF_ONE * inclusive[0]) {
			*path = descend_busy(paths, inclusive);
			*seconds = inclusive[*path];
		}
	}
	free(exclusive);
	free(inclusive);
	return err;
}

/* The call of the interpreter's below which most of the idle time is. */
static int find_called_api(const struct paths *paths, uint32_t path,
			   uint32_t *called, double *seconds)
{
	double *exclusive;
	int err = 0;

	*seconds = 0;
	if (!interpreter_owns(paths->run, paths->at[path].node))
		return 0;
	exclusive = calloc(paths->count + 1, sizeof(*exclusive));
	if (!exclusive)
		return no_memory();
	err = gpu_idle_values(paths, exclusive, NULL);
	if (!err)
		err = interpreter_called(paths, path, exclusive, called,
					 seconds);
	free(exclusive);
	return err;
}

char *gpu_idle_called(const struct paths *paths, uint32_t path, double idle)
{
	uint32_t called;
	double seconds;
	char *name, *text = NULL;

	if (find_called_api(paths, path, &called, &seconds))
		return NULL;
	if (seconds <= OF_CALLS * idle)
		return strdup("");
	name = paths_short(paths, called, 1);
	if (name && asprintf(&text, ", %.0f %% below %s",
			     100 * value_ratio(seconds, idle), name) < 0)
		text = NULL;
	free(name);
	return text;
}

/* Each process may see one device, and call it 0. */
static bool is_ambiguous(const struct run_gpu *g, size_t device)
{
	const struct run_device *d = &g->devices[device];

	for (size_t i = 0; i < g->device_count; i++)
		if (i != device && g->devices[i].host == d->host &&
		    g->devices[i].id == d->id)
			return true;
	return false;
}

static uint32_t first_rank(const struct run_gpu *g, size_t device)
{
	for (size_t i = 0; i < g->share_count; i++)
		if (g->shares[i].device == device)
			return g->shares[i].rank;
	return 0;
}

char *gpu_device_name(const struct run *run, size_t device)
{
	const struct run_device *d = &run->gpu.devices[device];
	const char *host = str_at(&run->strings, d->host);
	char of[64] = "";

	if (d->instance >= 0)
		snprintf(of, sizeof(of), " (MIG instance %d)", d->instance);
	else if (is_ambiguous(&run->gpu, device))
		snprintf(of, sizeof(of), " of %s %llu", processes_noun(run),
			 (unsigned long long)processes_number(
				 run, first_rank(&run->gpu, device)));
	return str_format("GPU %u%s on %s", d->id, of, host);
}
