/* SPDX-License-Identifier: BSD-3-Clause */
/* dominant-path.c - the path that a person would name, of times that are known.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/paths/dominant-path.h"
#include "analyse/paths/paths.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

/* What is named of so many seconds, and how many: of fixture_run() */
static const char *named(struct run *run, const double seconds[FIXTURE_NODES],
			 enum fixture_node known, double *of)
{
	struct paths paths;
	struct mainly is;
	const char *name;
	double *own;

	CHECK(!paths_init(&paths, run));
	own = calloc(paths.count, sizeof(*own));
	for (int n = 0; n < FIXTURE_NODES; n++)
		own[paths.of[n]] += seconds[n];
	CHECK(!dominant_in(&is, &paths, own, paths.of[known]));
	name = is.path ? paths_function(run, paths.at[is.path].node) : "";
	*of = is.seconds;
	free(own);
	paths_fini(&paths);
	return name;
}

static void put_in(struct run *run, enum fixture_node node, const char *module,
		   const char *function)
{
	run->nodes[node].module = str_add(&run->strings, module);
	run->nodes[node].function = str_add(&run->strings, function);
}

#define IS(seconds, known, name, sum)                                          \
	CHECK(!strcmp(named(run, (const double[FIXTURE_NODES])seconds, known,  \
			    &of),                                              \
		      name) &&                                                 \
	      fabs(of - (sum)) < 1e-9)
#define TIMES(...)                                                             \
	{                                                                      \
		__VA_ARGS__                                                    \
	}

TEST(the_caller_of_many_slivers_is_named)
{
	struct run *run = fixture_run();
	double of;

	/* Each less than half, but all below the first of the three. */
	IS(TIMES([FIXTURE_FACT_1] = 3, [FIXTURE_FACT_2] = 3,
		 [FIXTURE_FACT_3] = 4),
	   FIXTURE_ALLREDUCE, "fact", 10);
	IS(TIMES([FIXTURE_WORK_42] = 8, [FIXTURE_FACT_1] = 2),
	   FIXTURE_ALLREDUCE, "work", 8);
	run_free(run);
}

TEST(what_holds_the_known_path_is_named_for_its_own)
{
	struct run *run = fixture_run();
	double of;

	IS(TIMES([FIXTURE_WORK] = 6, [FIXTURE_FACT_1] = 4), FIXTURE_ALLREDUCE,
	   "work", 6);
	IS(TIMES([FIXTURE_WORK] = 3, [FIXTURE_MAIN] = 7), FIXTURE_ALLREDUCE,
	   "main", 7);
	IS(TIMES([FIXTURE_WORK] = 3, [FIXTURE_NORM] = 2, [FIXTURE_FACT_1] = 2,
		 [FIXTURE_MAIN] = 2),
	   FIXTURE_ALLREDUCE, "work", 3);
	/* A fifth each, and nothing that all of them are in but the start. */
	IS(TIMES([FIXTURE_WORK] = 2, [FIXTURE_NORM] = 2, [FIXTURE_FACT_1] = 2,
		 [FIXTURE_MAIN] = 2, [FIXTURE_SOLVE] = 2),
	   FIXTURE_ALLREDUCE, "", of);
	/* To one who was told of nothing it says something. */
	IS(TIMES([FIXTURE_WORK] = 6, [FIXTURE_FACT_1] = 4), FIXTURE_ROOT,
	   "main", 10);
	run_free(run);
}

TEST(who_looks_at_a_clock_is_named)
{
	struct run *run = fixture_run();
	double of;

	put_in(run, FIXTURE_FACT_2, "/lib/libmpi.so.40", "PMPI_Wtime");
	put_in(run, FIXTURE_FACT_3, "[vdso]", "clock_gettime");
	IS(TIMES([FIXTURE_FACT_3] = 9, [FIXTURE_FACT_2] = 1), FIXTURE_ALLREDUCE,
	   "fact", 10);
	put_in(run, FIXTURE_FACT_2, "/lib/libc.so.6", "__clock_gettime");
	IS(TIMES([FIXTURE_FACT_2] = 9), FIXTURE_ALLREDUCE, "fact", 9);
	/* The program's own of such a name is none. */
	put_in(run, FIXTURE_FACT_2, "/opt/app/app", "clock_gettime");
	IS(TIMES([FIXTURE_FACT_2] = 9), FIXTURE_ALLREDUCE, "clock_gettime", 9);
	run_free(run);
}

TEST(what_the_interpreter_calls_is_named)
{
	struct run *run = fixture_run();
	double of;

	put_in(run, FIXTURE_MAIN, "/usr/bin/python3.11", "main");
	put_in(run, FIXTURE_SOLVE, "/usr/bin/python3.11", "eval");
	put_in(run, FIXTURE_FACT_1, "/opt/app/app", "work");
	/* By two ways. */
	IS(TIMES([FIXTURE_WORK] = 4, [FIXTURE_FACT_1] = 4, [FIXTURE_MAIN] = 2),
	   FIXTURE_ALLREDUCE, "work", 8);
	/* All of its frames are one. */
	IS(TIMES([FIXTURE_SOLVE] = 4, [FIXTURE_MAIN] = 4, [FIXTURE_WORK] = 2),
	   FIXTURE_ALLREDUCE, "main", 8);
	run_free(run);
}
