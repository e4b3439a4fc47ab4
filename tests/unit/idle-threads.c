/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * idle-threads.c - which threads are left out of wall.time, on a run of two
 * ranks and ten seconds:
 *
 *   _start, __libc_start_main ── main ── work           10 s
 *   clone3, start_thread ─┬─ progress ── epoll_wait      9 and 8 s
 *                         ├─ busy ── compute            10 s
 *                         ├─ writer ── write            10 s
 *                         ├─ worker ── sem_wait         10 s, the program's
 *                         └─ caller ── MPI_Recv         10 s
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/groups.h"
#include "analyse/paths/idle-threads.h"
#include "base/err.h"
#include "run/path-sums.h"
#include "tests/lib/test.h"

#define S     1000000000ull
#define RANKS 2

enum {
	ROOT,
	START,
	START_MAIN,
	MAIN,
	WORK,
	CLONE,
	START_THREAD,
	PROGRESS,
	EPOLL_WAIT,
	BUSY,
	COMPUTE,
	WRITER,
	WRITE,
	WORKER,
	SEM_WAIT,
	CALLER,
	RECV,
	NODES
};

static const struct {
	const char *function, *module;
	uint32_t parent;
	enum run_kind kind;
	unsigned int wall, cpu; /* ms on each rank */
} tree[NODES] = {
	[ROOT] = { "", "", ROOT, RUN_ROOT, 0, 0 },
	[START] = { "_start", "/app/app", ROOT, RUN_FUNCTION, 0, 0 },
	[START_MAIN] = { "__libc_start_main", "/lib/libc.so.6", START,
			 RUN_FUNCTION, 0, 0 },
	[MAIN] = { "main", "/app/app", START_MAIN, RUN_FUNCTION, 0, 0 },
	[WORK] = { "work", "/app/app", MAIN, RUN_FUNCTION, 10000, 9000 },
	[CLONE] = { "clone3", "/lib/libc.so.6", ROOT, RUN_FUNCTION, 0, 0 },
	[START_THREAD] = { "start_thread", "/lib/libc.so.6", CLONE,
			   RUN_FUNCTION, 0, 0 },
	[PROGRESS] = { "progress", "/lib/libpmix.so.2", START_THREAD,
		       RUN_FUNCTION, 0, 50 },
	[EPOLL_WAIT] = { "epoll_wait", "/lib/libc.so.6", PROGRESS, RUN_FUNCTION,
			 9000, 0 },
	[BUSY] = { "busy", "/lib/libx.so.1", START_THREAD, RUN_FUNCTION, 0, 0 },
	[COMPUTE] = { "compute", "/lib/libx.so.1", BUSY, RUN_FUNCTION, 10000,
		      500 },
	[WRITER] = { "writer", "/lib/libio.so.1", START_THREAD, RUN_FUNCTION, 0,
		     0 },
	[WRITE] = { "__write", "/lib/libc.so.6", WRITER, RUN_FUNCTION, 10000,
		    0 },
	[WORKER] = { "worker", "/app/app", START_THREAD, RUN_FUNCTION, 0, 0 },
	[SEM_WAIT] = { "sem_wait", "/lib/libc.so.6", WORKER, RUN_FUNCTION,
		       10000, 0 },
	[CALLER] = { "caller", "/lib/liby.so.1", START_THREAD, RUN_FUNCTION, 0,
		     0 },
	[RECV] = { "MPI_Recv", "", CALLER, RUN_MPI, 10000, 0 },
};

/* Rank 1 waited a second less in epoll_wait; on_core is progress()'s there. */
static uint64_t planned_value(bool cpu, uint32_t n, uint32_t rank,
			      unsigned on_core)
{
	uint64_t ms = cpu ? tree[n].cpu : tree[n].wall;

	if (rank && n == EPOLL_WAIT && !cpu)
		ms -= 1000;
	if (rank && n == PROGRESS && cpu)
		ms = on_core;
	return ms * S / 1000;
}

static void fill(struct run_metric *m, bool cpu, unsigned on_core)
{
	uint64_t count = 0;

	strcpy(m->name, cpu ? "cpu.time" : "wall.time");
	m->unit = UNIT_NS;
	m->stats = calloc(NODES, sizeof(*m->stats));
	m->first = calloc(NODES + 1, sizeof(*m->first));
	m->values = calloc((size_t)NODES * RANKS, sizeof(*m->values));
	for (uint32_t n = 0; n < NODES; n++) {
		for (uint32_t r = 0; r < RANKS; r++) {
			uint64_t value = planned_value(cpu, n, r, on_core);

			m->stats[n].sum += (double)value;
			if (value)
				m->values[count++] =
					(struct run_value){ r, value };
		}
		m->first[n + 1] = count;
	}
}

static struct run *new_run(unsigned on_core)
{
	struct run *run = calloc(1, sizeof(*run));

	run->command = str_add(&run->strings, "./app");
	run->world = run->rank_count = run->member_count = RANKS;
	run->ranks = calloc(RANKS, sizeof(*run->ranks));
	for (uint32_t r = 0; r < RANKS; r++)
		run->ranks[r] = (struct run_rank){ .rank = (int32_t)r,
						   .elapsed_ns = 10 * S,
						   .wall = 1 };
	run->node_count = NODES;
	run->nodes = calloc(NODES, sizeof(*run->nodes));
	for (uint32_t n = 0; n < NODES; n++)
		run->nodes[n] = (struct run_node){
			.parent = tree[n].parent,
			.kind = (uint16_t)tree[n].kind,
			.function = str_add(&run->strings, tree[n].function),
			.module = str_add(&run->strings, tree[n].module),
		};
	run->metric_count = 2;
	run->metrics = calloc(2, sizeof(*run->metrics));
	fill(&run->metrics[0], true, on_core);
	fill(&run->metrics[1], false, on_core);
	return run;
}

/* With so many ms on a core on rank 1. */
static struct run *left_out(unsigned on_core)
{
	struct run *run = new_run(on_core), *runs[] = { run, NULL };

	if (idle_threads_leave_out(runs))
		test_fail(__FILE__, __LINE__, fail_reason());
	return run;
}

static const struct run_idle *idle_of(const struct run *run)
{
	return run_metric(run, "wall.time")->idle;
}

TEST(threads_of_a_library_that_only_waited_are_left_out)
{
	struct run *run = left_out(50);
	const struct run_idle *idle = idle_of(run);

	CHECK(idle);
	CHECK(idle->count, ==, 1);
	CHECK(idle->starts[0].node, ==, PROGRESS);
	CHECK(idle->starts[0].waited, ==, EPOLL_WAIT);
	CHECK(fabs(idle->starts[0].value - 17), <, 1e-9);
	CHECK(fabs(idle->starts[0].cpu - 0.1), <, 1e-9);
	for (uint32_t n = 0; n < NODES; n++)
		CHECK(idle->nodes[n], ==, (n == PROGRESS || n == EPOLL_WAIT));
	CHECK(!run_metric(run, "cpu.time")->idle);
	run_free(run);
}

TEST(one_rank_whose_thread_worked_shows_all)
{
	struct run *run = left_out(201);

	CHECK(!idle_of(run));
	run_free(run);
	run = left_out(199); /* 1.5 % of their time, 1.99 % of the run */
	CHECK(idle_of(run));
	run_free(run);
}

TEST(without_the_programs_start_nobody_knows_whose_threads_they_are)
{
	struct run *run = new_run(50), *runs[] = { run, NULL };

	run->nodes[START_MAIN].parent = ROOT;
	CHECK(!idle_threads_leave_out(runs));
	CHECK(!idle_of(run));
	run_free(run);
}

TEST(what_is_left_out_and_the_rest_are_all)
{
	struct run *run = left_out(50), *whole = new_run(50);
	const struct run_metric *wall = run_metric(run, "wall.time");
	struct groups rest, all;

	CHECK(!groups_init(&rest, run, wall, false));
	CHECK(!groups_init(&all, whole, run_metric(whole, "wall.time"), false));
	CHECK(fabs(rest.total - 100), <, 1e-9);
	CHECK(fabs(rest.total + idle_threads_sum(wall) - all.total), <, 1e-9);
	CHECK(idle_threads_sum(NULL), ==, 0);
	groups_fini(&rest);
	groups_fini(&all);
	run_free(run);
	run_free(whole);
}

TEST(sums_of_paths_and_ranks_are_of_the_rest)
{
	struct run *run = left_out(50);
	const struct run_metric *wall = run_metric(run, "wall.time");
	struct paths paths;
	struct path_sum *sums;
	uint64_t row[RANKS];
	uint32_t progress;

	CHECK(!paths_init(&paths, run));
	progress = paths.of[PROGRESS];
	sums = path_sums(&paths, wall);
	CHECK(sums);
	CHECK(sums[progress].sum, ==, 0);
	CHECK(sums[progress].max, ==, 0);
	CHECK(sums[0].sum, ==, 100.0 * (double)S);
	CHECK(sums[0].min, ==, 50 * S);
	CHECK(sums[0].max, ==, 50 * S);
	CHECK(!path_row(&paths, wall, 0, row));
	CHECK(row[0], ==, 50 * S);
	CHECK(row[1], ==, 50 * S);
	CHECK(!path_row(&paths, wall, progress, row) && !row[0] && !row[1]);
	CHECK(!path_totals(run, wall, row));
	CHECK(row[1], ==, 50 * S);
	free(sums);
	paths_fini(&paths);
	run_free(run);
}

TEST(compared_runs_leave_out_the_same)
{
	struct run *calm = new_run(50), *busy = new_run(500);
	struct run *runs[] = { calm, busy, NULL };

	CHECK(!idle_threads_leave_out(runs));
	CHECK(!idle_of(calm) && !idle_of(busy));
	run_free(calm);
	run_free(busy);
}

TEST(reports_say_what_they_leave_out)
{
	const struct run *runs[] = { left_out(50), NULL };
	const struct analysis_options options = { .limit = SIZE_MAX };
	static const char *const names[] = { "hotspots", "summary", "imbalance",
					     "ranks",    "tree",    "loops" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct report *report = NULL;
		bool said = false;

		CHECK(!analysis_find(names[i])->run(&report, runs, &options));
		for (size_t n = 0; n < report->note_count; n++)
			said |= strstr(report->notes[n],
				       "left out of wall.time: 17.0 s (14.5 % "
				       "of all), progress of libpmix.so.2 17.0 "
				       "s in epoll_wait;") != NULL;
		if (!said)
			test_fail(__FILE__, __LINE__, names[i]);
		report_free(report);
	}
}
