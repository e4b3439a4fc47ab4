/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture-run.c - the run that fixture-run.h draws. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "tests/unit/fixture-run.h"

#define MS 1000000u

static void node(struct run *run, enum fixture_node n, enum fixture_node parent,
		 enum run_kind kind, const char *function, uint32_t line)
{
	run->nodes[n] = (struct run_node){
		.parent = parent,
		.kind = kind,
		.function = str_add(&run->strings, function),
		.module = str_add(&run->strings,
				  kind == RUN_MPI ? "" : "/opt/app/app"),
		.file = str_add(&run->strings, line ? "/src/app.c" : ""),
		.line = line,
	};
}

static void nodes(struct run *run)
{
	run->node_count = FIXTURE_NODES;
	run->nodes = calloc(FIXTURE_NODES, sizeof(*run->nodes));
	node(run, FIXTURE_ROOT, FIXTURE_ROOT, RUN_ROOT, "", 0);
	node(run, FIXTURE_MAIN, FIXTURE_ROOT, RUN_FUNCTION, "main", 0);
	node(run, FIXTURE_SOLVE, FIXTURE_MAIN, RUN_FUNCTION, "solve", 10);
	node(run, FIXTURE_WORK, FIXTURE_SOLVE, RUN_FUNCTION, "work", 20);
	node(run, FIXTURE_WORK_42, FIXTURE_WORK, RUN_LINE, "work", 42);
	node(run, FIXTURE_WORK_43, FIXTURE_WORK, RUN_LINE, "work", 43);
	node(run, FIXTURE_NORM, FIXTURE_SOLVE, RUN_FUNCTION, "norm", 21);
	node(run, FIXTURE_ALLREDUCE, FIXTURE_NORM, RUN_MPI, "MPI_Allreduce",
	     30);
	node(run, FIXTURE_FACT_1, FIXTURE_MAIN, RUN_FUNCTION, "fact", 11);
	node(run, FIXTURE_FACT_2, FIXTURE_FACT_1, RUN_FUNCTION, "fact", 50);
	node(run, FIXTURE_FACT_3, FIXTURE_FACT_2, RUN_FUNCTION, "fact", 50);
}

static void rank(struct run *run, uint32_t r)
{
	run->ranks[r] = (struct run_rank){
		.rank = (int32_t)r,
		.pid = 100 + r,
		.host = str_add(&run->strings, "node1"),
		.end = END_EXIT,
		.threads = 1,
		.clock = 1,
		.freq = 1000,
		.elapsed_ns = 440 * MS,
		.mpi_ns = 430 * MS,
		.mpi_time_ns = (300 - 100 * r) * MS,
		.cpu_ns = 430 * MS,
		.samples = 430,
		.ticks = 430,
		.handler_ns = 4 * MS,
		.wrapper_ns = 1000,
	};
}

/* What rank r has of a metric in a node. */
static uint64_t value_of(const char *metric, enum fixture_node n, uint32_t r)
{
	bool samples = !strcmp(metric, "samples");
	bool time = samples || !strcmp(metric, "cpu.time");
	uint64_t wait = (300 - 100 * r) * MS;

	if (n == FIXTURE_WORK_42 && time)
		return (r + 1) * 75 * MS;
	if (n == FIXTURE_WORK_43 && time)
		return (r + 1) * 25 * MS;
	if (n >= FIXTURE_FACT_1 && time)
		return 10 * MS;
	if (n != FIXTURE_ALLREDUCE)
		return 0;
	if (time || !strcmp(metric, "mpi.time"))
		return wait;
	return strcmp(metric, "mpi.calls") ? 8000 : 1000;
}

/* A sample every millisecond. */
static uint64_t value_at(const char *metric, enum fixture_node n, uint32_t r)
{
	uint64_t value = value_of(metric, n, r);

	return strcmp(metric, "samples") ? value : value / MS;
}

static void stat(struct run_stat *to, const uint64_t *values)
{
	*to = (struct run_stat){ .min = values[0], .max = values[0] };
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		to->sum += (double)values[r];
		if (values[r] < to->min) {
			to->min = values[r];
			to->min_rank = r;
		}
		if (values[r] > to->max) {
			to->max = values[r];
			to->max_rank = r;
		}
	}
	to->mean = to->sum / FIXTURE_RANKS;
}

/* What is over entries: all that are not 0. */
static void entries(struct run_stat *to, const char *metric,
		    enum fixture_node n, const uint64_t *values)
{
	bool sampled =
		!strcmp(metric, "cpu.time") || !strcmp(metric, "samples");

	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		double value = (double)values[r];
		double samples = (double)value_at("samples", n, r);

		if (sampled && values[r])
			to->squares +=
				value * value / (samples > 1 ? samples : 1);
		if (values[r] && (!to->least || values[r] < to->least))
			to->least = values[r];
		if (values[r] > to->most)
			to->most = values[r];
	}
}

static void metric(struct run_metric *to, const char *name, enum unit unit)
{
	uint64_t values[FIXTURE_RANKS], count = 0;

	strcpy(to->name, name);
	to->unit = unit;
	to->stats = calloc(FIXTURE_NODES, sizeof(*to->stats));
	to->first = calloc(FIXTURE_NODES + 1, sizeof(*to->first));
	to->values = calloc((size_t)FIXTURE_NODES * FIXTURE_RANKS,
			    sizeof(*to->values));
	for (uint32_t n = 0; n < FIXTURE_NODES; n++) {
		to->first[n] = count;
		for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
			values[r] = value_at(name, n, r);
			if (values[r])
				to->values[count++] =
					(struct run_value){ r, values[r] };
		}
		stat(&to->stats[n], values);
		entries(&to->stats[n], name, n, values);
	}
	to->first[FIXTURE_NODES] = count;
}

struct run *fixture_run(void)
{
	struct run *run = calloc(1, sizeof(*run));

	run->command = str_add(&run->strings, "./app -n 10");
	run->mpi_library = str_add(&run->strings, "Open MPI v4.1.4");
	run->world = run->rank_count = run->member_count = FIXTURE_RANKS;
	nodes(run);
	run->ranks = calloc(FIXTURE_RANKS, sizeof(*run->ranks));
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++)
		rank(run, r);
	run->metric_count = 5;
	run->metrics = calloc(5, sizeof(*run->metrics));
	metric(&run->metrics[0], "cpu.time", UNIT_NS);
	metric(&run->metrics[1], "mpi.calls", UNIT_COUNT);
	metric(&run->metrics[2], "mpi.time", UNIT_NS);
	metric(&run->metrics[3], "mpi.bytes.sent", UNIT_BYTES);
	metric(&run->metrics[4], "samples", UNIT_COUNT);
	return run;
}
