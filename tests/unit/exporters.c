/* SPDX-License-Identifier: BSD-3-Clause */
/* exporters.c - what comes out: quoting, numbers, alignment. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "base/err.h"
#include "format/terminal/draw.h"
#include "format/format.h"
#include "format/utf8.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

static const struct format_style style = { .width = 60 };

static char *export(const char *format, const struct report *report,
		    const struct format_style *how)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to || format_find(format)->write_report(to, report, how))
		test_fail(__FILE__, __LINE__, fail_reason());
	fclose(to);
	return text;
}

static struct report *sample(void)
{
	struct report *report = report_new("sample", "a \"title\"");

	report_line(report, "a sentence");
	report_table(report, "one", "first");
	report_column(report, "function", "function", COLUMN_TEXT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, NULL, "share", COLUMN_SHARE);
	report_column(report, "line", NULL, COLUMN_COUNT);
	report_text(report, "f<int, \"a\">");
	report_number(report, 0.0015);
	report_number(report, 0.5);
	report_count(report, 7);
	report_text(report, "g\x80\n");
	report_number(report, 0.25);
	report_number(report, 1);
	report_none(report);
	report_table(report, "two", "second");
	report_column(report, "n", "n", COLUMN_COUNT);
	report_count(report, 18446744073709551615u);
	return report;
}

/* Two calls of MPI_Recv, and one of another that is alone. */
TEST(rows_that_read_the_same_say_what_differs)
{
	struct report *report = report_new("sample", "title");
	char *text;

	report_table(report, "calls", "calls");
	report_column(report, "path", "path", COLUMN_TEXT);
	report_path(report, "MPI_Recv ← f", "MPI_Recv ← f",
		    "MPI_Recv ← f (f.c:1)");
	report_path(report, "MPI_Send ← f", "MPI_Send ← f",
		    "MPI_Send ← f (f.c:2)");
	report_path(report, "MPI_Send ← f", "MPI_Send ← f",
		    "MPI_Send ← f (f.c:2)");
	report_path(report, "MPI_Recv ← f", "MPI_Recv ← f",
		    "MPI_Recv ← f (f.c:3)");
	report_path(report, "k ← cudaLaunchKernel ← f", "k ← f", "k ← f");
	text = export("text", report, &style);
	CHECK(text, ==,
	      "title\n\ncalls\n  path\n"
	      "  MPI_Recv <- f (f.c:1)\n"
	      "  MPI_Send <- f\n"
	      "  MPI_Send <- f\n"
	      "  MPI_Recv <- f (f.c:3)\n"
	      "  k <- f\n");
	free(text);
	text = export("csv", report, &style);
	CHECK(strstr(text, "k ← cudaLaunchKernel ← f\n"));
	CHECK(!strstr(text, "f.c"));
	free(text);
	report_free(report);
}

TEST(csv_quotes_and_is_plain)
{
	char *text = export("csv", sample(), &style);

	CHECK(text, ==,
	      "function,seconds,line\n"
	      "\"f<int, \"\"a\"\">\",0.0015,7\n"
	      "\"g\x80\n\",0.25,\n");
	free(text);
}

TEST(csv_writes_the_table_asked_for)
{
	struct format_style how = { .width = 80, .table = "two" };
	char *text = export("csv", sample(), &how);

	CHECK(text, ==, "n\n18446744073709551615\n");
	free(text);
	how.table = "three";
	CHECK(format_find("csv")->write_report(stderr, sample(), &how), <, 0);
	CHECK(strstr(fail_reason(), "one, two"));
}

/* Checked by a parser that is not ours. */
TEST(json_is_valid)
{
	static const char *const names[] = { "summary", "hotspots", "tree",
					     "imbalance", "mpi-calls" };
	const struct run *runs[] = { fixture_run(), NULL };

	if (system("python3 -c 'import json' 2>/dev/null"))
		SKIP("python3 is not here");
	for (size_t i = 0; i <= sizeof(names) / sizeof(*names); i++) {
		FILE *to = popen("python3 -m json.tool >/dev/null", "w");
		struct report *report = NULL;

		if (i == sizeof(names) / sizeof(*names))
			report = sample();
		else
			analysis_find(names[i])->run(
				&report, runs, &(struct analysis_options){ 0 });
		CHECK(to && report);
		CHECK(!format_find("json")->write_report(to, report, &style));
		CHECK(!pclose(to));
		report_free(report);
	}
}

TEST(text_aligns_and_has_one_unit)
{
	char *text = export("text", sample(), &style);

	CHECK(strstr(text, "  function      time    share\n"
			   "                  ms\n"
			   "  f<int, \"a\">    1.5   50.0 %\n"
			   "  g??          250.0  100.0 %\n"));
	CHECK(!strchr(text, '\033'));
	free(text);
}

/* Nothing at all is told in the unit of the columns beside it. */
TEST(zeros_have_their_neighbours_unit)
{
	struct report *report = report_new("zeros", "zeros");
	char *text;

	report_table(report, "one", "first");
	report_column(report, "all", "all", COLUMN_SECONDS);
	report_column(report, "own", "own", COLUMN_SECONDS);
	report_number(report, 0.0025);
	report_number(report, 0);
	text = export("text", report, &style);
	CHECK(strstr(text, "    all    own\n     ms     ms\n  2.500  0.000\n"));
	free(text);
}

/* "0.00" of a million would read as none. */
TEST(few_among_many_are_not_shown_as_none)
{
	static const uint64_t calls[] = { 34188293, 857842, 26130, 9999, 8, 0 };
	struct report *report = report_new("sample", "sample");
	char *text;

	report_table(report, "one", NULL);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "events", "events", COLUMN_COUNT);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		report_count(report, calls[i]);
		report_count(report, 12000000 + 10000000 * i);
	}
	text = export("text", report, &style);
	CHECK(strstr(text, "    calls  events\n"
			   "                M\n"
			   "  34.19 M   12.00\n"
			   "  857.8 k   22.00\n"
			   "  26.13 k   32.00\n"
			   "   9999     42.00\n"
			   "      8     52.00\n"
			   "      0     62.00\n"));
	free(text);
}

TEST(text_shows_margins)
{
	struct format_style utf8 = { .width = 60, .utf8 = true };
	struct report *report = report_new("margins", "margins");
	char *text;

	report_table(report, "one", "first");
	report_column(report, "share", "share", COLUMN_SHARE);
	report_share(report, 0.312, 0.014);
	report_share(report, 0.5, 0);
	text = export("text", report, &utf8);
	CHECK(strstr(text, "31.2 ± 1.4 %\n"));
	CHECK(strstr(text, " 50.0 %\n"));
	free(text);
	text = export("text", report, &style);
	CHECK(strstr(text, "31.2 +- 1.4 %\n"));
	free(text);
	text = export("csv", report, &style);
	CHECK(text, ==, "share\n0.312\n0.5\n");
	free(text);
}

/* What stands in parentheses and is no function's arguments stays. */
TEST(text_drops_arguments_alone)
{
	struct format_style narrow = { .width = 15, .utf8 = true };
	struct report *report = report_new("names", "names");
	char *text;

	report_table(report, "one", "first");
	report_column(report, "function", "function", COLUMN_TEXT);
	report_text(report, "(no call path)");
	report_text(report, "f(int, double, int)");
	text = export("text", report, &narrow);
	CHECK(strstr(text, "  (no cal…path)\n"));
	CHECK(strstr(text, "  f()\n"));
	free(text);
}

TEST(text_stays_in_its_width)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct format_style narrow = { .width = 70 };
	struct report *report = NULL;
	char *text, *line, *rest;

	CHECK(!analysis_find("mpi-calls")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	text = rest = export("text", report, &narrow);
	while ((line = strsep(&rest, "\n")))
		CHECK(utf8_width(line), <=, 96); /* numbers are never cut */
	free(text);
	report_free(report);
}

/* Where the numbers alone leave them less. */
TEST(a_number_keeps_its_unit)
{
	struct report *report = report_new("t", "t");
	struct format_style narrow = { .width = 20 };
	char *text;

	report_line(report, "ranks waited 6.54 s for it, of all 38 %% so.");
	text = export("text", report, &narrow);
	CHECK(strstr(text, "\n  for it, of all\n  38 % so.\n"));
	free(text);
	report_free(report);
}

TEST(names_keep_columns_beyond_the_width)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct format_style pipe = { .width = 70, .names = 48, .utf8 = true };
	struct format_style narrow = { .width = 70, .utf8 = true };
	struct report *report = NULL;
	const char *path = "MPI_Allreduce ← norm ← solve ← main ";
	char *text;

	CHECK(!analysis_find("mpi-calls")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	text = export("text", report, &pipe);
	CHECK(strstr(text, path));
	free(text);
	text = export("text", report, &narrow);
	CHECK(!strstr(text, path));
	free(text);
	report_free(report);
}

/* A column of call paths in a page of that width. */
static char *paths_in(size_t width, bool utf8, const char *const *paths)
{
	struct format_style how = { .width = (unsigned)width, .utf8 = utf8 };
	struct report *report = report_new("x", "x");
	char *text;

	report_table(report, "t", NULL);
	report_column(report, "path", "call path", COLUMN_TEXT);
	for (; *paths; paths++)
		report_text(report, *paths);
	text = export("text", report, &how);
	report_free(report);
	return text;
}

TEST(paths_that_differ_are_not_cut_alike)
{
	static const char *const paths[] = {
		"MPI_Allreduce ← norm ← solve ← pressure_step ← run ← main",
		"MPI_Allreduce ← norm ← solve ← velocity_step ← run ← main",
		"MPI_Allreduce ← norm ← solve ← velocity_step ← warm_up ← main",
		"MPI_Allreduce ← norm ← solve ← velocity_step ← warm_up",
		"MPI_Barrier ← start ← main ← _start ← one_more_than_fits",
		"work ← main",
		NULL
	};
	char *text = paths_in(42, true, paths);

	CHECK(strstr(text, "  MPI_Allreduce ← norm ← solve ← pressure…\n"));
	CHECK(strstr(text, "  MPI_Allreduce ← … ← run ← …\n"));
	CHECK(strstr(text, "  MPI_Allreduce ← … ← warm_up ← …\n"));
	CHECK(strstr(text, "  MPI_Allreduce ← … ← warm_up\n"));
	CHECK(strstr(text, "  MPI_Barrier ← start ← main ← _start ← …\n"));
	CHECK(strstr(text, "  work ← main\n"));
	free(text);
	text = paths_in(44, false, paths);
	CHECK(strstr(text, "  MPI_Allreduce <- .. <- pressure_step <- ..\n"));
	free(text);
}

/* One frame's name ends where the other's goes on: the next one is shown. */
TEST(paths_may_differ_between_frames)
{
	static const char *const paths[] = {
		"f ← norm ← solve_something ← go ← "
		"behind_it_with_a_name_too_long ← main",
		"f ← norm ← solve_something ← gone ← "
		"behind_it_with_a_name_too_long",
		NULL
	};
	char *text = paths_in(32, true, paths);

	CHECK(strstr(text, "  f ← … ← behind_it_with_a_… ← …\n"));
	CHECK(strstr(text, "  f ← … ← gone ← …\n"));
	free(text);
}

/* Where names are too long, what differs in them is shown. */
TEST(names_that_differ_are_not_cut_alike)
{
	static const char *const names[] = {
		"void_kernel_of_very_many_words_for_float_elements_here",
		"void_kernel_of_very_many_words_for_double_elements_here",
		"void_kernel_of_very_many_words_for_double_elements_here",
		"apply_it(int, const char *, unsigned long, left_side)",
		"apply_it(int, const char *, unsigned long, right_side)",
		NULL
	};
	char *text = paths_in(30, true, names);

	CHECK(strstr(text, "  void_kern…r_float_elements_…\n"));
	CHECK(strstr(text, "  void_kern…r_double_elements…\n"));
	CHECK(strstr(text, "  apply_it(…d long, left_side)\n"));
	CHECK(strstr(text, "  apply_it(… long, right_side)\n"));
	free(text);
}

/* Numbers that can be looked up elsewhere give way to names. */
TEST(spare_columns_give_way_to_names)
{
	struct format_style wide = { .width = 70, .utf8 = true };
	struct format_style narrow = { .width = 56, .utf8 = true };
	struct report *report = report_new("x", "x");
	char *text;

	report_table(report, "t", NULL);
	report_column(report, "path", "call path", COLUMN_TEXT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "mean", "mean size", COLUMN_COUNT);
	report_spare(report);
	report_column(report, "most", "largest", COLUMN_COUNT);
	report_spare(report);
	report_column(report, NULL, "", COLUMN_BAR);
	report_spare(report);
	report_text(report, "MPI_Send ← exchange ← step ← main now");
	for (uint64_t i = 1; i < 4; i++)
		report_count(report, i);
	report_number(report, 0.5);
	text = export("text", report, &wide);
	CHECK(strstr(text, "step ← main now      1          2        3\n"));
	CHECK(!strstr(text, "no room"));
	free(text);
	text = export("text", report, &narrow);
	CHECK(strstr(text, "  call path                             calls  "
			   "mean size\n"));
	CHECK(strstr(text, "MPI_Send ← exchange ← step ← … "));
	CHECK(strstr(text, "  (no room for: largest)\n"));
	free(text);
	report_free(report);
}

/* Whatever is left out, what the rows are sorted by stays. */
TEST(the_sort_column_has_room)
{
	struct format_style narrow = { .width = 32 };
	struct report *report = report_new("x", "x");
	char *text;

	report_table(report, "t", NULL);
	report_column(report, "path", "call path", COLUMN_TEXT);
	report_column(report, "mean", "mean size", COLUMN_COUNT);
	report_column(report, "sent", "bytes sent", COLUMN_COUNT);
	report_spare(report);
	report_key(report);
	report_column(report, "most", "the largest", COLUMN_COUNT);
	report_column(report, "saves", "recoverable", COLUMN_COUNT);
	report_key(report);
	report_text(report, "MPI_Send");
	for (uint64_t i = 1; i < 5; i++)
		report_count(report, i);
	text = export("text", report, &narrow);
	CHECK(strstr(text, "sent"));
	CHECK(strstr(text, "recoverable"));
	CHECK(strstr(text, "  (no room for: mean size,"));
	free(text);
	report_free(report);
}

TEST(folded_gives_microseconds)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct report *report = NULL;
	char *text;

	CHECK(!analysis_find("tree")->run(&report, runs,
					  &(struct analysis_options){ 0 }));
	text = export("folded", report, &style);
	CHECK(strstr(text, "main;solve;work 1000000\n"));
	CHECK(strstr(text, "main;fact;fact;fact 40000\n"));
	CHECK(!strstr(text, "main;solve "));
	free(text);
	report_free(report);
}

TEST(utf8_refuses_what_is_none)
{
	const char *text = "a\xc3\xa9\xc0\x80\xed\xa0\x80z";
	const char *at = text;

	CHECK(utf8_next(&at), ==, 'a');
	CHECK(utf8_next(&at), ==, 0xe9);
	CHECK(utf8_next(&at), ==, UTF8_BAD);
	CHECK(at == text + 4);
	CHECK(utf8_width(text), ==, 8);
	CHECK(utf8_clean("x ← \033[1m", false), ==, "x <- ?[1m");
	CHECK(utf8_clean("base → new", false), ==, "base -> new");
}

TEST(drawings_have_their_width)
{
	const double values[] = { 0, 1, 2, 4 };

	CHECK(draw_bar(0.5, 4, false), ==, "##");
	CHECK(draw_bar(2, 4, true), ==, "████");
	CHECK(draw_spark(values, 4, 8, true), ==, "▁▃▅█");
	CHECK(utf8_width(draw_spark(values, 4, 2, true)), ==, 2);
	CHECK(draw_spark(values, 0, 2, true), ==, "");
}

TEST(heat_is_absolute_and_shows_the_largest)
{
	const double values[] = { 0, 0.005, 0.02, 0.3, 0.5, 0.7, 0.9, 2 };

	CHECK(draw_heat(values, 8, 8, true), ==, "  ·░▒▓██");
	CHECK(draw_heat(values, 8, 8, false), ==, "  .:+*##");
	CHECK(draw_heat(values, 8, 4, true), ==, " ░▓█");
	CHECK(draw_heat(values, 0, 4, true), ==, "");
}

/* A strip of as many ranks, with its head, in a page of that width. */
static char *strip(size_t ranks, unsigned width, bool utf8)
{
	struct format_style how = { .width = width, .utf8 = utf8 };
	struct report *report = report_new("strip", "strip");
	double *values = calloc(ranks, sizeof(*values));

	values[ranks - 1] = 1;
	report_table(report, "parts", NULL);
	report_column(report, "part", "part", COLUMN_TEXT);
	report_column(report, NULL, "over ranks", COLUMN_HEAT);
	report_text(report, "compute");
	report_spark(report, values, ranks);
	free(values);
	return export("text", report, &how);
}

TEST(strips_take_what_the_page_has)
{
	CHECK(strip(4, 60, true), ==,
	      "strip\n\n"
	      "  part     over ranks\n"
	      "  compute     █\n");
	/* 49 columns are left of 60: 1000 ranks, 20 or 21 in each. */
	CHECK(strstr(strip(1000, 60, true), "over ranks, 20–21 each\n"));
	CHECK(strstr(strip(1000, 60, false), "over ranks, 20-21 each\n"));
	CHECK(strstr(strip(98, 60, true), "over ranks, 2 each\n"));
	CHECK(strstr(strip(1000, 60, true), "█\n"));
	CHECK(strstr(strip(1000, 40, false), "34-35 each\n"));
}
