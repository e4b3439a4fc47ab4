/* SPDX-License-Identifier: BSD-3-Clause */
/* hot-paths.c - rows of hot paths, and functions with several callers. */
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/function-callers.h"
#include "analyse/paths/path-findings.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

static void is_function(struct run *run, enum fixture_node node,
			const char *name)
{
	run->nodes[node].function = str_add(&run->strings, name);
}

/* So many rows are these, one per line. */
static bool rows_read(struct run *run, size_t limit, const char *wanted)
{
	struct report *report = report_new("test", "test");
	struct paths paths;
	char is[1024] = "";
	bool same;

	CHECK(report && !paths_init(&paths, run));
	CHECK(!hot_paths_table(report, &paths, run_metric(run, "cpu.time"),
			       limit));
	for (size_t r = 0; r < report->tables[0].row_count; r++) {
		const struct report_table *table = &report->tables[0];
		const struct report_cell *c =
			&table->cells[r * table->column_count + 1];

		strcat(strcat(is, c->said ? c->said : c->text), "\n");
	}
	same = !strcmp(is, wanted);
	if (!same)
		fprintf(stderr, "# %s\n", is);
	paths_fini(&paths);
	report_free(report);
	return same;
}

TEST(a_hot_path_has_its_largest_callee)
{
	struct run *run = fixture_run();

	CHECK(rows_read(run, 8,
			"main\n  solve\n    work\n    norm\n"
			"      MPI_Allreduce\n  fact\n    fact\n"));
	CHECK(rows_read(run, 3,
			"main › solve › work\n"
			"main › solve › norm, mostly MPI_Allreduce\n"
			"main › fact\n"));
	run_free(run);
}

/* start has two callees of 14 %, and no longer call stands for all of them. */
TEST(a_row_stands_for_many_small_ones)
{
	struct run *run = fixture_run();
	struct run_metric *time = &run->metrics[0]; /* cpu.time */

	for (int n = FIXTURE_WORK; n <= FIXTURE_ALLREDUCE; n++)
		time->stats[n].sum /= 10;
	is_function(run, FIXTURE_FACT_1, "start");
	is_function(run, FIXTURE_FACT_2, "read");
	is_function(run, FIXTURE_FACT_3, "parse");
	run->nodes[FIXTURE_FACT_3].parent = FIXTURE_FACT_1;
	CHECK(rows_read(run, 2, "main › start\nmain › solve › work\n"));
	run_free(run);
}

/* main calls MPI, and little else. */
TEST(what_main_calls_most_is_told)
{
	struct run *run = fixture_run();

	for (int n = FIXTURE_WORK_42; n <= FIXTURE_WORK_43; n++) {
		run->nodes[n].kind = RUN_MPI;
		run->nodes[n].parent = FIXTURE_MAIN;
		run->nodes[n].line = 42;
		is_function(run, (enum fixture_node)n, "MPI_Init");
	}
	CHECK(rows_read(run, 2,
			"main, mostly MPI_Init\n"
			"  solve › norm, mostly MPI_Allreduce\n"));
	run_free(run);
}

/* work() is called by solve(), and on another way by norm(). */
TEST(rows_of_one_function_say_which_caller)
{
	struct run *run = fixture_run();

	is_function(run, FIXTURE_FACT_1, "start");
	is_function(run, FIXTURE_FACT_2, "redo");
	is_function(run, FIXTURE_FACT_3, "work");
	run->nodes[FIXTURE_ALLREDUCE].kind = RUN_FUNCTION;
	is_function(run, FIXTURE_ALLREDUCE, "work");
	CHECK(rows_read(run, 2,
			"main › solve › work\nmain › … › norm › work\n"));
	run_free(run);
}

static bool function_reads(const struct run *run, const double seconds[3],
			   const char *wanted)
{
	static const enum fixture_node nodes[] = { FIXTURE_WORK,
						   FIXTURE_ALLREDUCE,
						   FIXTURE_FACT_3 };
	struct function_callers callers = { 0 };
	struct paths paths;
	uint32_t row = 0;
	char *text;
	bool same;

	CHECK(!paths_init(&paths, run));
	callers.paths = &paths;
	for (size_t i = 0; i < 3; i++)
		row = function_callers_add(&callers, paths.of[nodes[i]],
					   seconds[i]);
	text = function_callers_text(&callers, row);
	same = text && !strcmp(text, wanted);
	if (!same)
		fprintf(stderr, "# %s\n", text);
	free(text);
	function_callers_fini(&callers);
	paths_fini(&paths);
	return same;
}

TEST(a_function_has_its_callers_and_their_share)
{
	struct run *run = fixture_run();

	is_function(run, FIXTURE_FACT_1, "start");
	is_function(run, FIXTURE_FACT_2, "redo");
	is_function(run, FIXTURE_FACT_3, "work");
	run->nodes[FIXTURE_ALLREDUCE].kind = RUN_FUNCTION;
	run->nodes[FIXTURE_ALLREDUCE].module = run->nodes[FIXTURE_WORK].module;
	is_function(run, FIXTURE_ALLREDUCE, "work");
	CHECK(function_reads(run, (double[]){ 99, 1, 0 },
			     "work ← solve ← main"));
	CHECK(function_reads(run, (double[]){ 1, 2, 1 },
			     "work (50 % of that from norm ← solve)"));
	CHECK(function_reads(run, (double[]){ 3, 3, 4 },
			     "work (40 % of that from redo ← start)"));
	is_function(run, FIXTURE_FACT_2, "norm");
	CHECK(function_reads(run, (double[]){ 0, 3, 7 },
			     "work ← norm (70 % of that from start)"));
	run_free(run);
}

/* Below main: 1.0 s of work ← solve, 0.6 of work ← norm; fact has 0.12. */
TEST(a_function_below_a_path_has_all_its_callers)
{
	struct run *run = fixture_run();
	struct paths paths;
	double *own, has;
	char *text;

	run->nodes[FIXTURE_ALLREDUCE].kind = RUN_FUNCTION;
	run->nodes[FIXTURE_ALLREDUCE].module = run->nodes[FIXTURE_WORK].module;
	is_function(run, FIXTURE_ALLREDUCE, "work");
	CHECK(!paths_init(&paths, run));
	own = calloc(paths.count, sizeof(*own));
	CHECK(own);
	paths_values(&paths, run_metric(run, "cpu.time"), own, NULL);
	CHECK(!function_below(&text, &has, &paths, paths.of[FIXTURE_MAIN], own,
			      1.5));
	CHECK(has, >, 1.59);
	CHECK(has, <, 1.61);
	CHECK(text, ==, "work (62 % of that from solve ← main)");
	free(text);
	CHECK(!function_below(&text, &has, &paths, paths.of[FIXTURE_MAIN], own,
			      1.7) &&
	      !text);
	free(own);
	paths_fini(&paths);
	run_free(run);
}
