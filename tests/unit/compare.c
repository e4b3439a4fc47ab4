/* SPDX-License-Identifier: BSD-3-Clause */
/* compare.c - noise, rules and verdicts, and paths of two builds. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/compare/compare.h"
#include "analyse/compare/gate-rule.h"
#include "analyse/compare/gate.h"
#include "analyse/compare/student.h"
#include "base/err.h"
#include "run/run-build.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

static bool within(double value, double truth, double tolerance)
{
	return fabs(value - truth) <= tolerance;
}

/* Values of the tables in every book of statistics. */
TEST(student_is_that_of_the_tables)
{
	CHECK(within(student_limit(0.025, 1), 12.706, 5e-4));
	CHECK(within(student_limit(0.025, 8), 2.306, 5e-4));
	CHECK(within(student_limit(0.005, 8), 3.355, 5e-4));
	CHECK(within(student_limit(0.0005, 4), 8.610, 5e-4));
	CHECK(within(student_limit(0.025, 120), 1.980, 5e-4));
	CHECK(within(student_limit(0.025, INFINITY), 1.960, 5e-4));
	CHECK(within(student_above(0, 5), 0.5, 1e-12));
	CHECK(within(student_above(-2.306, 8), 0.975, 1e-5));
	CHECK(student_above(INFINITY, 3), ==, 0);
}

TEST(several_runs_tell_their_noise)
{
	/* Means 10 and 11, pooled variance 1: t = 1 / sqrt(2 / 3) */
	const double values[] = { 9, 10, 11, 10, 11, 12 };
	const double none[6] = { 0 };
	struct comparison c;

	comparison_of(&c, values, none, 3, 6);
	CHECK(c.base, ==, 10);
	CHECK(c.now, ==, 11);
	CHECK(c.change, ==, 1);
	CHECK(within(c.more, student_above(sqrt(1.5), 4), 1e-12));
	CHECK(within(c.less, 1 - c.more, 1e-12));
	CHECK(within(c.margin, 2.7764 * sqrt(2.0 / 3), 1e-3));
	CHECK(within(comparison_relative(&c), 0.1, 1e-12));
}

/* A path that was met once in each run of one side is no proof. */
TEST(few_samples_have_the_noise_of_sampling)
{
	const double values[] = { 0, 0, 0, 1.00, 1.01, 0.99 };
	const double sampling[] = { 0, 0, 0, 1, 1.02, 0.98 };
	const double none[6] = { 0 };
	struct comparison c;

	comparison_of(&c, values, none, 3, 6);
	CHECK(c.more, <, 1e-5);
	comparison_of(&c, values, sampling, 3, 6);
	CHECK(c.more, >, 0.05);
}

TEST(one_run_a_side_has_that_of_sampling_or_none)
{
	const double values[] = { 100, 130 }, sampling[] = { 100, 125 };
	const double none[2] = { 0 };
	struct comparison c;

	comparison_of(&c, values, sampling, 1, 2);
	CHECK(within(c.more, student_above(2, INFINITY), 1e-12));
	comparison_of(&c, values, none, 1, 2);
	CHECK(isnan(c.more) && isnan(c.margin));
}

static struct rule parsed(const char *text)
{
	struct rule rule;

	if (rule_init(&rule, text))
		test_fail(__FILE__, __LINE__, fail_reason());
	return rule;
}

TEST(rules_are_read)
{
	struct rule r = parsed("total>3%");

	CHECK(r.what, ==, RULE_TOTAL);
	CHECK(!r.below && !r.metric);
	CHECK(within(r.limit, 0.03, 1e-12));
	CHECK(r.unit, ==, RULE_RELATIVE);
	rule_fini(&r);
	r = parsed(" mpi.time in path(main;solve*) > 20 ms ");
	CHECK(r.what, ==, RULE_PATH);
	CHECK(r.metric, ==, "mpi.time");
	CHECK(r.glob, ==, "main;solve*");
	CHECK(within(r.limit, 0.02, 1e-12));
	CHECK(r.unit, ==, RULE_ABSOLUTE);
	CHECK(rule_fits(&r, "main;solve;work", "work"));
	CHECK(!rule_fits(&r, "main;work", "work"));
	rule_fini(&r);
	r = parsed("papi.perf::PAGE-FAULTS > 1000");
	CHECK(r.what, ==, RULE_TOTAL);
	CHECK(r.limit, ==, 1000);
	CHECK(r.metric, ==, "papi.perf::PAGE-FAULTS");
	rule_fini(&r);
	r = parsed("function(std::less<int>::operator()*)>5%");
	CHECK(r.what, ==, RULE_FUNCTION);
	CHECK(rule_fits(&r, "", "std::less<int>::operator()(int)"));
	rule_fini(&r);
	r = parsed("parallel_efficiency < -2pp");
	CHECK(r.what, ==, RULE_FACTOR);
	CHECK(r.below && within(r.limit, -0.02, 1e-12));
	rule_fini(&r);
}

TEST(rules_that_mean_nothing_are_refused)
{
	static const char *const bad[] = {
		"total",        "total>",        "total>x",         "total>3x",
		"mpi_share>3%", "total>3pp",     "path(a>3%",       ">3%",
		"a b>3%",       "a in b in c>1", "a in elapsed>1s", ""
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct rule r;

		CHECK(rule_init(&r, bad[i]), <, 0);
		rule_fini(&r);
	}
}

/* Gives a node another name, as a compiler might. */
static void rename_node(struct run *run, enum fixture_node n, const char *name,
			bool unnamed)
{
	run->nodes[n].function = str_add(&run->strings, name);
	run->nodes[n].flags = unnamed ? RUN_UNNAMED : 0;
}

static void rename_work(struct run *run, const char *name, bool unnamed)
{
	rename_node(run, FIXTURE_WORK, name, unnamed);
	rename_node(run, FIXTURE_WORK_42, name, unnamed);
	rename_node(run, FIXTURE_WORK_43, name, unnamed);
}

static size_t paths_of(const struct run *base, const struct run *now)
{
	const struct run *runs[] = { base, now, NULL };
	struct path_union u;
	size_t count;

	if (path_union_init(&u, runs, 1))
		test_fail(__FILE__, __LINE__, fail_reason());
	count = u.count;
	path_union_fini(&u);
	return count;
}

TEST(names_of_two_builds_are_joined)
{
	struct run *base = fixture_run(), *now = fixture_run();
	size_t same = paths_of(base, now);

	/* A clone, arguments, and nothing but an address. */
	rename_work(now, "work.constprop.0.isra.0", false);
	CHECK(paths_of(base, now), ==, same);
	rename_work(base, "void work<int>(int)", false);
	rename_work(now, "void work<long>(long, int)", false);
	CHECK(paths_of(base, now), ==, same);
	rename_work(base, "app+0x1234", true);
	rename_work(now, "app+0x1260", true);
	CHECK(paths_of(base, now), ==, same);
	rename_node(base, FIXTURE_NORM, "app+0x2000", true);
	rename_node(now, FIXTURE_NORM, "app+0x2100", true);
	CHECK(paths_of(base, now), ==, same);
	/* Another function is another function, and so is one library's. */
	rename_work(now, "other", false);
	CHECK(paths_of(base, now), ==, same + 1);
	rename_work(now, "libx.so.1+0x1260", true);
	now->nodes[FIXTURE_WORK].module =
		str_add(&now->strings, "/lib/libx.so.1");
	CHECK(paths_of(base, now), ==, same + 1);
}

/* Without debug information solve(), inlined, is not seen in one of them. */
TEST(inlined_callers_are_found)
{
	struct run *base = fixture_run(), *now = fixture_run();
	const struct run *runs[] = { base, now, NULL };
	const struct run *other[] = { now, base, NULL };
	struct path_union u;
	size_t same = paths_of(base, now);

	now->nodes[FIXTURE_WORK].parent = FIXTURE_MAIN;
	now->nodes[FIXTURE_NORM].parent = FIXTURE_MAIN;
	now->nodes[FIXTURE_SOLVE].function = str_add(&now->strings, "gone");
	now->nodes[FIXTURE_SOLVE].kind = RUN_LINE;
	CHECK(paths_of(base, now), ==, same);
	CHECK(!path_union_init(&u, runs, 1));
	for (uint32_t p = 0; p < u.count; p++)
		if (!strcmp(path_union_function(&u, p), "work")) {
			char *text = path_union_text(&u, p);

			CHECK(text, ==, "work ← solve ← main");
			CHECK(u.of[0][FIXTURE_WORK], ==, p);
			CHECK(u.of[1][FIXTURE_WORK], ==, p);
			free(text);
		}
	path_union_fini(&u);
	CHECK(!path_union_init(&u, other, 1));
	CHECK(u.count, ==, same);
	/* Of one build, nothing is guessed. */
	path_union_fini(&u);
	CHECK(!path_union_init(&u, runs, 0));
	CHECK(u.count, >, same);
	path_union_fini(&u);
}

static void slow_down(struct run *run, double factor)
{
	const struct run_metric *cpu = run_metric(run, "cpu.time");

	for (uint64_t v = cpu->first[FIXTURE_WORK_42];
	     v < cpu->first[FIXTURE_WORK_42 + 1]; v++)
		cpu->values[v].value =
			(uint64_t)((double)cpu->values[v].value * factor);
	cpu->stats[FIXTURE_WORK_42].sum *= factor;
	CHECK(!run_entry_stats(run));
}

static const struct report_cell *cell(const struct report *report,
				      const char *table, const char *column)
{
	for (size_t t = 0; t < report->table_count; t++) {
		const struct report_table *at = &report->tables[t];

		if (strcmp(at->id, table) != 0 || !at->row_count)
			continue;
		for (size_t c = 0; c < at->column_count; c++)
			if (at->columns[c].id &&
			    !strcmp(at->columns[c].id, column))
				return &at->cells[c];
	}
	test_fail(__FILE__, __LINE__, column);
}

/* 750 ms of work() on line 42 become 825, on rank 3 300 become 330. */
TEST(diff_names_path_and_rank)
{
	struct run *base = fixture_run(), *now = fixture_run();
	const struct run *runs[] = { base, now, NULL };
	const struct analysis_options options = { .limit = SIZE_MAX };
	struct report *report = NULL;

	slow_down(now, 1.1);
	CHECK(!analysis_find("diff")->run(&report, runs, &options));
	CHECK(within(cell(report, "paths", "change")->number, 0.075, 1e-6));
	CHECK(within(cell(report, "paths", "rank_change")->number, 0.03, 1e-6));
	CHECK(cell(report, "paths", "rank")->count, ==, 3);
	CHECK(within(cell(report, "functions", "base")->number, 1, 1e-6));
	CHECK(cell(report, "functions", "function")->text, ==, "work");
	CHECK(within(cell(report, "metrics", "change")->number, 0.075, 1e-6));
	report_free(report);
}

TEST(diff_wants_sides)
{
	struct run *run = fixture_run();
	const struct run *three[] = { run, run, run, NULL };
	const struct run *one[] = { run, NULL };
	struct report *report = NULL;
	struct analysis_options options = { 0 };

	CHECK(analysis_find("diff")->run(&report, one, &options), ==, -EINVAL);
	CHECK(analysis_find("diff")->run(&report, three, &options), ==,
	      -EINVAL);
	CHECK(strstr(fail_reason(), "'vs'"));
	options.base = 2;
	CHECK(!analysis_find("diff")->run(&report, three, &options));
	report_free(report);
}

/* Five runs a side whose noise is a thousandth, one path slower by 10 %. */
static bool gate_fails(const char *rule, double factor, struct report **report)
{
	const char *const rules[] = { rule, NULL };
	const struct gate_options gate = { .rules = rules,
					   .confidence = 0.99,
					   .least = 0.01 };
	const struct analysis_options options = { .base = 5 };
	const struct run *runs[11] = { NULL };
	bool failed;

	for (int i = 0; i < 10; i++) {
		struct run *run = fixture_run();

		slow_down(run, (1 + i % 5 * 0.001) * (i < 5 ? 1 : factor));
		runs[i] = run;
	}
	if (gate_run(report, &failed, &gate, runs, &options))
		test_fail(__FILE__, __LINE__, fail_reason());
	return failed;
}

TEST(what_is_new_has_no_share_of_before)
{
	char to[32];

	CHECK(comparison_text(to,
			      &(struct comparison){ .base = 2, .change = 0.5 }),
	      ==, "+25.0 %");
	CHECK(comparison_text(to, &(struct comparison){ .change = 1 }), ==,
	      "from nothing");
	CHECK(comparison_text(to, &(struct comparison){ 0 }), ==, "+0.0 %");
}

TEST(gate_names_the_path)
{
	struct report *report = NULL;

	CHECK(gate_fails("path(*)>3%", 1.1, &report));
	CHECK(report->line_count, ==, 2);
	CHECK(strstr(report->lines[1], "work ← solve ← main: +7.5 %"));
	report_free(report);
	CHECK(!gate_fails("path(*)>8%", 1.1, &report));
	report_free(report);
	CHECK(!gate_fails("path(*)>0%", 1, &report));
	report_free(report);
	CHECK(gate_fails("total < -1%", 0.9, &report));
	report_free(report);
	CHECK(gate_fails("function(work)>50ms", 1.1, &report));
	CHECK(report->check_count, ==, 1);
	CHECK(report->checks[0].failed);
	report_free(report);
	CHECK(!gate_fails("mpi.calls > 1", 1.1, &report));
	report_free(report);
	CHECK(!gate_fails("parallel_efficiency < -1pp", 1.1, &report));
	report_free(report);
}

TEST(gate_judges_nothing_that_is_not_there)
{
	static const char *const rules[] = { "path(nobody)>3%", NULL };
	static const char *const metrics[] = { "gpu.time>3%", NULL };
	struct gate_options gate = { .rules = rules, .confidence = 0.99 };
	struct run *run = fixture_run();
	const struct run *runs[] = { run, run, NULL };
	struct analysis_options options = { 0 };
	struct report *report = NULL;
	bool failed;

	CHECK(gate_run(&report, &failed, &gate, runs, &options), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "no call path"));
	gate.rules = metrics;
	CHECK(gate_run(&report, &failed, &gate, runs, &options), ==, -EINVAL);
	CHECK(strstr(fail_reason(), "gpu.time"));
}
