/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fact-hosts.c - programs whose GPUs wait for their host: a step, what the host
 * does in it, and what it would take as a CUDA graph.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/value.h"
#include "analyse/diagnose/facts.h"
#include "analyse/gpu/awaited-work.h"
#include "analyse/gpu/gpu-workers.h"
#include "analyse/gpu/host-bound.h"
#include "base/err.h"

#define COMPUTE 0.5  /* of the time off a core: what its workers compute */
#define SAVES   0.1  /* of the time: what a graph makes less, and … */
#define MATTERS 0.3  /* … of the time without work */
#define FAR     1.5  /* times what a graph saves */
#define FEW     0.1  /* of launches: those of graphs */
#define OFTEN   8    /* calls that wait: fewer are said if they wait … */
#define LONG    0.01 /* … for so much of the time */

#define HOST_FIELDS(FIELD)                                                     \
	FIELD(BOUND, "bound", NUMBER,                                          \
	      "1: GPUs had no work for 30 % of the time and more, mostly for " \
	      "their host")                                                    \
	FIELD(STEPS, "steps", COUNT, "of a process; 0: not known")             \
	FIELD(ELAPSED, "span", SECONDS,                                        \
	      "from the first to the last work of a process, but start-up")    \
	FIELD(IDLE, "idle", SECONDS, "of that, without work")                  \
	FIELD(IDLE_SHARE, "idle_share", SHARE, "the same")                     \
	FIELD(KERNELS, "kernels", COUNT, "launched by a process")              \
	FIELD(GRAPHS, "graphs", COUNT, "the same")                             \
	FIELD(WAITS, "waits", COUNT, "calls of a process that wait for GPUs")  \
	FIELD(GRAPH_GAIN, "graph_gain", SECONDS,                               \
	      "less, if each step were launched as a graph")                   \
	FIELD(GRAPH_SHARE, "graph_share", SHARE, "the same, of span")          \
	FIELD(GRAPH_STEP, "graph_step", SECONDS,                               \
	      "what a step would take then, or all")                           \
	FIELD(GRAPH, "graph", NUMBER,                                          \
	      "1: it launches few graphs, and that is much less")              \
	FIELD(LAUNCH_SHARE, "launch_share", SHARE,                             \
	      "of idle: in calls that launch")                                 \
	FIELD(HOST_GAIN, "host_gain", SECONDS,                                 \
	      "less, if the host did the largest of its parts meanwhile")      \
	FIELD(SECONDS, "seconds", SECONDS,                                     \
	      "without work for GPUs, of all processes")                       \
	FIELD(INPUT_SHARE, "input_share", SHARE,                               \
	      "of idle: blocked, in what reads from other processes, or, "     \
	      "where that is not known, while workers of the process compute") \
	FIELD(WORKERS, "workers", NUMBER,                                      \
	      "processes that it began, and that have no GPU")                 \
	FIELD(STEP_TEXT, "step", TEXT, "what a step takes, and its GPU")       \
	FIELD(PARTS_TEXT, "parts", TEXT, "what the host does meanwhile")       \
	FIELD(WAITS_TEXT, "waiting", TEXT, "\", and waits for the GPU in …\"") \
	FIELD(WORKERS_TEXT, "beside", TEXT, "\"; its 2 workers computed …\"")  \
	FIELD(UNIT_TEXT, "unit", TEXT,                                         \
	      "\"a step\", \"a round of calls\", \"all of it\"")

FACT_TABLE(host_fields, HOST_FIELDS)

/* Takes `text`, which is behind `before` if there is any. */
static bool set_words(struct fact *f, enum field field, const char *before,
		      char *text)
{
	f->values[field].text =
		text ? str_format("%s%s", *text ? before : "", text) : NULL;
	free(text);
	return f->values[field].text;
}

static double part_seconds(const struct host_bound *b, enum host_part part)
{
	for (size_t i = 0; i < HOST_PARTS; i++)
		if (b->parts.at[i].part == part)
			return b->parts.at[i].seconds;
	return 0;
}

/* Seconds of a process that it waited for its workers, or may have. */
static double input_seconds(const struct host_bound *b,
			    const struct gpu_workers *w)
{
	double input = part_seconds(b, HOST_PART_INPUT);
	double blocked = part_seconds(b, HOST_PART_BLOCKED);

	if (w->count && w->cpu >= COMPUTE * blocked)
		input += blocked;
	return w->count ? input / b->processes : 0;
}

/* Of what the host does for itself: the largest, beside the GPU's work. */
static double host_gain(const struct host_bound *b)
{
	for (size_t i = 0; i < HOST_PARTS; i++) {
		const struct host_share *s = &b->parts.at[i];

		if (s->part != HOST_PART_MPI && s->part != HOST_PART_DEVICE &&
		    s->part != HOST_PART_LAUNCHES)
			return fmin(s->seconds / b->processes, b->idle);
	}
	return 0;
}

/* And doing meanwhile what the host does for itself would not help far more. */
static bool graph_helps(const struct host_bound *b)
{
	double gain = b->seconds - b->graph;

	return b->graphs < FEW * b->kernels && gain >= SAVES * b->seconds &&
	       gain >= MATTERS * b->idle && FAR * gain >= host_gain(b);
}

static void set_host_numbers(struct fact *f, const struct host_bound *b,
			     const struct gpu_workers *w)
{
	f->values[BOUND].number = b->bound;
	f->values[STEPS].number = b->steps.count;
	f->values[ELAPSED].number = b->seconds;
	f->values[IDLE].number = b->idle;
	f->values[IDLE_SHARE].number = value_ratio(b->idle, b->seconds);
	f->values[KERNELS].number = b->kernels;
	f->values[GRAPHS].number = b->graphs;
	f->values[WAITS].number = b->waits;
	f->values[GRAPH_GAIN].number = b->seconds - b->graph;
	f->values[GRAPH_SHARE].number =
		value_ratio(b->seconds - b->graph, b->seconds);
	f->values[GRAPH_STEP].number = host_bound_step(b, b->graph);
	f->values[GRAPH].number = graph_helps(b);
	f->values[LAUNCH_SHARE].number = value_ratio(
		part_seconds(b, HOST_PART_LAUNCHES), b->parts.seconds);
	f->values[HOST_GAIN].number = host_gain(b);
	f->values[SECONDS].number = b->idle * b->processes;
	f->values[INPUT_SHARE].number =
		value_ratio(input_seconds(b, w), b->idle);
	f->values[WORKERS].number = (double)w->count;
}

/* A last wait for all of it says nothing of a step. */
static char *waits_words(const struct paths *paths, const struct host_bound *b,
			 const struct awaited_works *works)
{
	const struct awaited_work *most = works->at;

	if (!works->count || (most->calls < OFTEN * b->processes &&
			      most->seconds < LONG * b->seconds * b->processes))
		return strdup("");
	return awaited_works_text(paths, works);
}

static int set_host_words(struct fact *f, const struct paths *paths,
			  const struct host_bound *b,
			  const struct gpu_workers *w)
{
	struct awaited_works works;
	int err = awaited_works_init(&works, paths);
	bool ok = !err;

	ok = ok && set_words(f, STEP_TEXT, "", host_bound_step_text(b)) &&
	     set_words(f, PARTS_TEXT, "", host_bound_parts_text(b, paths)) &&
	     set_words(f, WAITS_TEXT, "; it ", waits_words(paths, b, &works)) &&
	     set_words(f, WORKERS_TEXT, "; ", gpu_workers_text(w, paths)) &&
	     set_words(f, UNIT_TEXT, "", strdup(host_bound_unit(b)));
	awaited_works_fini(&works);
	return err ? err : ok ? 0 : no_memory();
}

/* Nothing where no GPU was used, or several processes share one. */
static int gather_hosts(struct facts *to, struct fact_source *from)
{
	struct gpu_workers workers;
	struct host_bound bound;
	struct fact *f;
	int err = host_bound_of(&bound, from->paths);

	if (err || !bound.known)
		return err;
	err = gpu_workers_of(&workers, from->paths);
	if (err)
		return err;
	f = facts_add(to, 0);
	if (!f)
		return no_memory();
	set_host_numbers(f, &bound, &workers);
	return set_host_words(f, from->paths, &bound, &workers);
}

const struct fact_set fact_set_hosts = {
	.name = "hosts",
	.meaning = "the run: GPUs that wait for their host",
	.fields = host_fields,
	.field_count = FIELDS,
	.counted = "kernels",
	.gather = gather_hosts,
};
