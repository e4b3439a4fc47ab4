/* SPDX-License-Identifier: BSD-3-Clause */
/* host-bound.c - see host-bound.h. */
#include "analyse/gpu/host-bound.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/phrase.h"
#include "analyse/base/value.h"
#include "analyse/gpu/gpu-work.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "base/str.h"

#define IDLE   0.3  /* of the time: less is no matter */
#define BY_IT  0.5  /* of the idle time: the host is why */
#define MANY   100  /* kernels: what a few do is their program's start */
#define WORTH  0.1  /* of the idle time: a part that is said */
#define GRAPH  1e-5 /* seconds to launch a graph, … */
#define NODE   1e-6 /* … and between two of its kernels, on the GPU */
#define EACH   0.9  /* of the steps: it waits in each */
#define PIECES 100  /* kernels of a graph, where steps are not known */

enum {
	SAID = 4 /* parts */
};

static int sum_calls(struct host_bound *to, const struct paths *paths)
{
	struct gpu_work_rows calls;
	int err = gpu_work_init(&calls, paths, GPU_CALLS, true);

	for (size_t i = 0; i < calls.count && !err; i++) {
		const struct gpu_row *row = &calls.at[i];
		const char *name = str_at(&paths->run->strings, row->function);

		if (gpu_call_launches_kernel(name)) {
			to->kernels += row->count / to->processes;
			to->launching += row->seconds / to->processes;
		} else if (gpu_call_launches_graph(name)) {
			to->graphs += row->count / to->processes;
		} else if (gpu_call_waits(name)) {
			to->waits += row->count / to->processes;
		}
	}
	gpu_work_fini(&calls);
	return err;
}

static const struct host_share *host_share_of(const struct host_bound *of,
					      enum host_part part)
{
	const struct host_share *s = of->parts.at;

	while (s->part != part)
		s++;
	return s;
}

/*
 * A host that waits for its GPUs in each step works while they have nothing to
 * do, and a graph ends at each wait; one that does not wait launches beside
 * their work as well, so more of its time goes: as much more as launches took
 * in all.
 */
static double graph_seconds(const struct host_bound *of, double launching)
{
	double work = of->seconds - of->idle;
	double idle =
		host_share_of(of, HOST_PART_LAUNCHES)->seconds / of->processes;
	double steps =
		of->steps.count > 0 ? of->steps.count : of->kernels / PIECES;
	double pieces = fmax(steps, fmin(of->waits, of->kernels / 2));
	double gpu = work + of->kernels * NODE, host, taken = launching;

	if (of->waits >= EACH * steps)
		return gpu + of->idle - launching + pieces * GRAPH;
	if (idle > 0)
		taken *= fmax(of->launching / idle, 1);
	host = fmax(of->seconds - taken, 0) + pieces * GRAPH;
	return fmax(gpu, host);
}

static void model_graph(struct host_bound *to)
{
	double all = 0;
	double calls = host_share_of(to, HOST_PART_LAUNCHES)->launching;

	for (size_t i = 0; i < HOST_PARTS; i++)
		all += to->parts.at[i].launching;
	to->graph = fmin(graph_seconds(to, all / to->processes), to->seconds);
	to->graph_most =
		fmin(graph_seconds(to, calls / to->processes), to->seconds);
}

/* Other ranks, and work that waited on the device, are no host's. */
static bool is_bound(const struct host_bound *of)
{
	double host = of->parts.seconds -
		      host_share_of(of, HOST_PART_MPI)->seconds -
		      host_share_of(of, HOST_PART_DEVICE)->seconds;

	return of->kernels + of->graphs >= MANY &&
	       of->idle >= IDLE * of->seconds &&
	       host / of->processes >= BY_IT * of->idle;
}

int host_bound_of(struct host_bound *to, const struct paths *paths)
{
	struct gpu_busy busy = gpu_busy_of(paths->run);
	int err;

	*to = (struct host_bound){ 0 };
	if (!busy.processes || busy.shared || busy.paused ||
	    paths->run->gpu.known_count)
		return 0;
	to->known = true;
	to->processes = (double)busy.processes;
	to->idle = busy.between / to->processes;
	to->seconds = to->idle + busy.work / to->processes;
	err = sum_calls(to, paths);
	if (!err)
		err = host_parts_of(&to->parts, paths);
	if (!err)
		err = host_steps_of(&to->steps, paths->run, to->processes,
				    to->seconds);
	if (err)
		return err;
	if (to->steps.source == HOST_STEPS_CALLS) {
		to->steps.seconds = to->seconds / to->steps.count;
		to->steps.work = (to->seconds - to->idle) / to->steps.count;
	}
	to->bound = is_bound(to);
	model_graph(to);
	return 0;
}

double host_bound_step(const struct host_bound *of, double seconds)
{
	return of->steps.count > 0 ? seconds / of->steps.count : seconds;
}

const char *host_bound_unit(const struct host_bound *of)
{
	switch (of->steps.source) {
	case HOST_STEPS_NONE:
		return "all of it";
	case HOST_STEPS_CALLS:
		return "a round of calls";
	default:
		return "a step";
	}
}

char *host_bound_step_text(const struct host_bound *of)
{
	const struct host_steps *s = &of->steps;
	const char *of_them = "of them";
	char step[32], work[32];

	if (!s->count)
		return str_format("of %s the GPU works for %s",
				  phrase_time(step, of->seconds),
				  phrase_time(work, of->seconds - of->idle));
	if (s->name)
		of_them = s->name;
	else if (s->source == HOST_STEPS_ITERATIONS)
		of_them = "iterations";
	return str_format("%s takes %s (%.0f %s%s), and the GPU works for %s "
			  "of it",
			  host_bound_unit(of), phrase_time(step, s->seconds),
			  s->count, s->name ? "× " : "", of_them,
			  phrase_time(work, s->work));
}

/* "110 launches", "Python", "cudaMemcpy". */
static void part_words(char *to, size_t size, const struct host_bound *of,
		       const struct host_share *s)
{
	if (s->part == HOST_PART_LAUNCHES)
		snprintf(to, size, "%.0f launches",
			 host_bound_step(of, of->kernels + of->graphs));
	else
		snprintf(to, size, "%s", host_part_infos[s->part].title);
}

/* false: out of memory. */
static bool put_host_part(FILE *to, const struct host_bound *of,
			  const struct paths *paths, const struct host_share *s,
			  bool first)
{
	double step = of->steps.count > 0
			      ? (of->steps.seconds - of->steps.work) *
					s->seconds / of->parts.seconds
			      : s->seconds / of->processes;
	char words[64], time[32], *place = host_share_place(paths, s);

	part_words(words, sizeof(words), of, s);
	if (place)
		fprintf(to, "%s%s %s%s%s%s", first ? "" : ", ", words,
			phrase_time(time, step), *place ? " (" : "", place,
			*place ? ")" : "");
	free(place);
	return place;
}

char *host_bound_parts_text(const struct host_bound *of,
			    const struct paths *paths)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	bool ok = to;
	size_t said = 0;

	for (size_t i = 0; i < SAID && ok; i++)
		if (of->parts.at[i].part != HOST_PART_DEVICE &&
		    of->parts.at[i].seconds > 0 &&
		    of->parts.at[i].seconds >= WORTH * of->parts.seconds)
			ok = put_host_part(to, of, paths, &of->parts.at[i],
					   !said++);
	if (to && fclose(to))
		ok = false;
	if (ok)
		return text;
	free(text);
	return NULL;
}
