/* SPDX-License-Identifier: BSD-3-Clause */
/* call-paths.c - which nodes of a run are one path, and what stands above it.
 */
#include <stdlib.h>
#include <string.h>

#include "run/call-paths.h"
#include "tests/lib/test.h"

enum {
	ROOT,
	START,
	START_MAIN,
	CALL_MAIN,
	CALL_MAIN_LINE,
	MAIN,
	WORK,
	NODES
};

static struct run_node node(struct run *run, uint32_t parent,
			    enum run_kind kind, const char *function)
{
	return (struct run_node){ .parent = parent,
				  .kind = (uint16_t)kind,
				  .function =
					  str_add(&run->strings, function) };
}

/* Where each node has 1, if `values` has its bit. */
static void make(struct run *run, unsigned values)
{
	struct run_metric *m = calloc(1, sizeof(*m));

	*run = (struct run){ .node_count = NODES, .metric_count = 1 };
	run->metrics = m;
	run->nodes = calloc(NODES, sizeof(*run->nodes));
	m->first = calloc(NODES + 1, sizeof(*m->first));
	for (uint32_t i = 0; i < NODES; i++)
		m->first[i + 1] = m->first[i] + (values >> i & 1);
	run->nodes[ROOT] = node(run, ROOT, RUN_ROOT, "");
	run->nodes[START] = node(run, ROOT, RUN_FUNCTION, "_start");
	run->nodes[START_MAIN] =
		node(run, START, RUN_FUNCTION, "__libc_start_main_impl");
	run->nodes[CALL_MAIN] =
		node(run, START_MAIN, RUN_FUNCTION, "__libc_start_call_main");
	run->nodes[CALL_MAIN_LINE] =
		node(run, CALL_MAIN, RUN_LINE, "__libc_start_call_main");
	run->nodes[MAIN] = node(run, CALL_MAIN, RUN_FUNCTION, "main");
	run->nodes[WORK] = node(run, MAIN, RUN_FUNCTION, "work");
}

static void drop(struct run *run, struct paths *paths)
{
	paths_fini(paths);
	strings_fini(&run->strings);
	free(run->metrics->first);
	free(run->metrics);
	free(run->nodes);
}

/* Until glibc 2.33 it has a second file, which threads start in. */
TEST(the_c_library_is_known_by_its_files)
{
	static const struct {
		const char *module;
		bool is;
	} cases[] = {
		{ "/lib/x86_64-linux-gnu/libc.so.6", true },
		{ "/lib/x86_64-linux-gnu/libpthread.so.0", true },
		{ "/lib/x86_64-linux-gnu/libc-2.31.so", true },
		{ "/lib/x86_64-linux-gnu/libpthread-2.31.so", true },
		{ "/usr/lib/libc-client.so.2007e", false },
		{ "/usr/lib/libpthreadpool.so.0", false },
		{ "/usr/lib/libcurl.so.4", false },
	};
	struct paths none = { 0 };
	struct run run;

	make(&run, 0);
	run.nodes[WORK] = node(&run, MAIN, RUN_FUNCTION, "__read");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run.nodes[WORK].module = str_add(&run.strings, cases[i].module);
		CHECK(paths_in_c_library(&run, WORK), ==, cases[i].is);
		CHECK(paths_is_file(&run, WORK), ==, cases[i].is);
	}
	drop(&run, &none);
}

/* main stands at the top whether or not a sample fell into what starts it. */
TEST(what_starts_a_program_is_above_nothing)
{
	static const struct {
		unsigned values;
		size_t paths; /* the root, main and work, and … */
	} cases[] = {
		{ 1u << WORK, 3 },
		{ 1u << WORK | 1u << START, 4 },
		{ 1u << WORK | 1u << CALL_MAIN, 4 },
		{ 1u << WORK | 1u << CALL_MAIN_LINE, 4 },
		{ 1u << WORK | 1u << CALL_MAIN | 1u << CALL_MAIN_LINE, 4 },
		{ 1u << WORK | 1u << START | 1u << CALL_MAIN, 5 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct paths paths;
		struct run run;

		make(&run, cases[i].values);
		CHECK(!paths_init(&paths, &run));
		CHECK(paths.count, ==, cases[i].paths);
		CHECK(!paths.at[paths.of[MAIN]].parent);
		CHECK(paths.at[paths.of[WORK]].parent, ==, paths.of[MAIN]);
		for (uint32_t n = START; n <= CALL_MAIN_LINE; n++) {
			bool own = cases[i].values >> n & 1;

			CHECK(!own, ==, !paths.of[n]);
			CHECK(!paths.at[paths.of[n]].parent);
		}
		drop(&run, &paths);
	}
}

/* A function of the program that is called as the C library's is its own. */
TEST(a_start_of_another_name_is_a_function)
{
	struct paths paths;
	struct run run;

	make(&run, 1u << WORK);
	run.nodes[WORK].function = str_add(&run.strings, "_start");
	CHECK(!paths_init(&paths, &run));
	CHECK(paths.count, ==, 3);
	CHECK(paths.at[paths.of[WORK]].parent, ==, paths.of[MAIN]);
	drop(&run, &paths);
}
