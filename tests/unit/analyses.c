/* SPDX-License-Identifier: BSD-3-Clause */
/* analyses.c - arithmetic of the analyses, on a run with known numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "analyse/base/confidence.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/factor-losses.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/gpu/gpu-tables.h"
#include "analyse/paths/groups.h"
#include "analyse/base/interpreter.h"
#include "analyse/paths/library-use.h"
#include "analyse/paths/paths.h"
#include "analyse/ranks/path-imbalance.h"
#include "base/err.h"
#include "run/run-build.h"
#include "analyse/split/time-split.h"
#include "run/split.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static const struct group *group_of(const struct groups *groups,
				    const struct run *run, const char *name,
				    uint32_t line)
{
	for (size_t i = 0; i < groups->count; i++)
		if (!strcmp(str_at(&run->strings, groups->at[i].function),
			    name) &&
		    (!line || groups->at[i].line == line))
			return &groups->at[i];
	test_fail(__FILE__, __LINE__, name);
}

static struct report *analyse(const char *name,
			      const struct analysis_options *options)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct report *report = NULL;

	if (analysis_find(name)->run(&report, runs, options))
		test_fail(__FILE__, __LINE__, fail_reason());
	return report;
}

static const struct report_cell *cell(const struct report_table *table,
				      size_t row, const char *column)
{
	for (size_t c = 0; c < table->column_count; c++)
		if (table->columns[c].id &&
		    !strcmp(table->columns[c].id, column))
			return &table->cells[row * table->column_count + c];
	test_fail(__FILE__, __LINE__, column);
}

TEST(recursion_counts_a_sample_once)
{
	struct run *run = fixture_run();
	struct groups groups;
	const struct group *fact;

	CHECK(!groups_init(&groups, run, run_metric(run, "cpu.time"), false));
	fact = group_of(&groups, run, "fact", 0);
	CHECK(near(fact->exclusive, 4 * 0.03));
	CHECK(near(fact->inclusive, 4 * 0.03));
	groups_fini(&groups);
}

TEST(inclusive_holds_what_is_called)
{
	struct run *run = fixture_run();
	struct groups groups;

	CHECK(!groups_init(&groups, run, run_metric(run, "cpu.time"), false));
	CHECK(near(groups.total, 1.72));
	CHECK(near(group_of(&groups, run, "main", 0)->inclusive, 1.72));
	CHECK(near(group_of(&groups, run, "solve", 0)->inclusive, 1.6));
	CHECK(near(group_of(&groups, run, "work", 0)->exclusive, 1.0));
	CHECK(near(group_of(&groups, run, "main", 0)->exclusive, 0));
	CHECK(group_of(&groups, run, "work", 0) == &groups.at[0]);
	CHECK(groups.at[0].line, ==, 42);
	groups_fini(&groups);
}

TEST(lines_hold_what_they_call)
{
	struct run *run = fixture_run();
	struct groups groups;

	CHECK(!groups_init(&groups, run, run_metric(run, "cpu.time"), true));
	CHECK(near(group_of(&groups, run, "work", 42)->exclusive, 0.75));
	CHECK(near(group_of(&groups, run, "work", 43)->inclusive, 0.25));
	CHECK(near(group_of(&groups, run, "solve", 20)->inclusive, 1.0));
	CHECK(near(group_of(&groups, run, "main", 10)->inclusive, 1.6));
	/* Line 50 calls itself: two of three levels are below it. */
	CHECK(near(group_of(&groups, run, "fact", 50)->inclusive, 0.08));
	groups_fini(&groups);
}

TEST(paths_fold_lines)
{
	struct run *run = fixture_run();
	struct paths paths;
	char *text;

	CHECK(!paths_init(&paths, run));
	CHECK(paths.count, ==, FIXTURE_NODES - 2);
	CHECK(paths.of[FIXTURE_WORK_43], ==, paths.of[FIXTURE_WORK]);
	CHECK(paths.at[0].end, ==, paths.count);
	text = paths_text(&paths, paths.of[FIXTURE_ALLREDUCE]);
	CHECK(text, ==, "MPI_Allreduce ← norm ← solve ← main");
	free(text);
	text = paths_short(&paths, paths.of[FIXTURE_ALLREDUCE], 2);
	CHECK(text, ==, "MPI_Allreduce ← norm");
	free(text);
	paths_fini(&paths);
}

/* From then on main and solve are of that file. */
static struct run *interpreted_run(const char *file)
{
	struct run *run = fixture_run();

	run->nodes[FIXTURE_MAIN].module = str_add(&run->strings, file);
	run->nodes[FIXTURE_SOLVE].module = run->nodes[FIXTURE_MAIN].module;
	return run;
}

TEST(frames_of_python_are_one)
{
	static const char *const files[] = { "/usr/bin/python3.11", "python",
					     "/usr/lib/libpython3.11.so.1.0",
					     "/opt/bin/python3" };
	static const char *const others[] = { "/opt/app/app",
					      "/usr/bin/pythonista",
					      "/lib/libpythonic.so", "" };
	struct paths paths;
	struct run *run;
	char *text;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		CHECK(interpreter_owns(interpreted_run(files[i]),
				       FIXTURE_MAIN));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		CHECK(!interpreter_owns(interpreted_run(others[i]),
					FIXTURE_MAIN));
	run = interpreted_run(files[0]);
	CHECK(!paths_init(&paths, run));
	text = paths_short(&paths, paths.of[FIXTURE_ALLREDUCE], 9);
	CHECK(text, ==, "MPI_Allreduce ← norm ← [Python]");
	free(text);
	text = paths_short(&paths, paths.of[FIXTURE_SOLVE], 9);
	CHECK(text, ==, "[Python]");
	free(text);
	paths_fini(&paths);
}

TEST(the_longest_call_of_python)
{
	struct run *run = interpreted_run("/usr/bin/python3");
	const struct run_metric *m = run_metric(run, "cpu.time");
	struct paths paths;
	double *exclusive, sum;
	uint32_t called;

	CHECK(!paths_init(&paths, run));
	exclusive = calloc(paths.count, sizeof(*exclusive));
	paths_values(&paths, m, exclusive, NULL);
	CHECK(!interpreter_called(&paths, paths.of[FIXTURE_MAIN], exclusive,
				  &called, &sum));
	CHECK(called, ==, paths.of[FIXTURE_WORK]);
	CHECK(near(sum, 1.0));
	/* What work spends is the interpreter's own, then: norm's is left. */
	run->nodes[FIXTURE_WORK].module = run->nodes[FIXTURE_MAIN].module;
	CHECK(!interpreter_called(&paths, paths.of[FIXTURE_MAIN], exclusive,
				  &called, &sum));
	CHECK(called, ==, paths.of[FIXTURE_NORM]);
	CHECK(near(sum, 0.6));
	/* Of one function all calls count, wherever they are made. */
	run->nodes[FIXTURE_FACT_1].function = run->nodes[FIXTURE_NORM].function;
	CHECK(!interpreter_called(&paths, paths.of[FIXTURE_MAIN], exclusive,
				  &called, &sum));
	CHECK(near(sum, 0.72));
	CHECK(!interpreter_called(&paths, paths.of[FIXTURE_WORK], exclusive,
				  &called, &sum));
	CHECK(!called && !sum);
	free(exclusive);
	paths_fini(&paths);
}

TEST(efficiency_is_the_product_of_its_factors)
{
	struct run *run = fixture_run();
	struct efficiency e;

	/* Useful: 130, 230, 330, 430 of 430 ms; elapsed: 440. */
	CHECK(!split_make(run));
	CHECK(!efficiency_of(&e, run));
	CHECK(near(e.useful_mean, 0.28));
	CHECK(near(e.balance, 0.28 / 0.43));
	CHECK(near(e.communication, 1));
	CHECK(near(e.parallel, e.balance));
	CHECK(near(e.mpi_max, 300.0 / 440));
	CHECK(e.mpi_max_rank, ==, 0);
	CHECK(e.mpi_min_rank, ==, 3);
	run_free(run);
}

/* Seconds of the run; those of factors that it does not have are 0. */
static double all_losses(const struct efficiency *e,
			 const struct thread_factors *f)
{
	struct factor_loss losses[LOSS_KINDS];
	double all = 0;

	factor_losses(losses, e, f);
	for (size_t i = 0; i < LOSS_KINDS; i++) {
		CHECK(!isnan(losses[i].factor) || near(losses[i].seconds, 0));
		all += losses[i].seconds;
	}
	return all;
}

TEST(communication_is_serialisation_times_transfer)
{
	/* Useful 6, 7, 8 s; without transfer each rank would take 9 s. */
	const double elapsed[] = { 10, 10, 0, 10 };
	struct mpi_time mpi[] = { { .total = 4, .waiting = 3 },
				  { .total = 3, .waiting = 2 },
				  { .waiting = NAN }, /* took no part */
				  { .total = 2, .waiting = 1 } };
	const struct thread_factors none = { 0 };
	const struct thread_factors half = {
		.threads = 2, .serial = 0.75, .regions = 0.8, .all = 0.6
	};
	struct efficiency e;

	efficiency_from(&e, elapsed, mpi, 4);
	CHECK(e.ranks, ==, 3);
	CHECK(e.useful_max_rank, ==, 3);
	CHECK(e.outside_max_rank, ==, 3);
	CHECK(near(all_losses(&e, &none), 3));
	CHECK(near(all_losses(&e, &half), 10 - 7 * half.all));
	CHECK(near(e.balance, 7.0 / 8) && near(e.communication, 0.8));
	CHECK(near(e.serialisation, 8.0 / 9) && near(e.transfer, 0.9));
	CHECK(near(e.parallel, e.balance * e.serialisation * e.transfer));
	/* Files are no network. */
	for (int i = 0; i < 4; i++)
		mpi[i].io = mpi[i].total - mpi[i].waiting;
	efficiency_from(&e, elapsed, mpi, 4);
	CHECK(near(e.serialisation, 0.8) && near(e.transfer, 1));
	/* One rank whose waiting is not known makes it unknown. */
	mpi[1].waiting = NAN;
	efficiency_from(&e, elapsed, mpi, 4);
	CHECK(isnan(e.serialisation) && isnan(e.transfer));
	CHECK(near(e.communication, 0.8));
	CHECK(near(all_losses(&e, &none), 3));
	efficiency_from(&e, elapsed, mpi, 0);
	CHECK(!e.ranks && near(e.parallel, 0));
}

static struct run_rank threaded(double workers, double waiting, double no_core)
{
	return (struct run_rank){
		.elapsed_ns = 12000000000,
		.openmp = { .waiting_ns = (uint64_t)(waiting * 1e9),
			    .workers_ns = (uint64_t)(workers * 1e9) },
		.cores = { .waited_ns = (uint64_t)(no_core * 1e9) },
	};
}

/* Of 12 s, of two threads. */
TEST(openmp_loses_what_its_threads_wait)
{
	struct run_rank none = threaded(12, 0, 0);
	struct run_rank third = threaded(12, 8, 0); /* of the other's work */
	struct run_rank asleep = threaded(4, 0.001, 0);
	struct run_rank in_mpi = threaded(12, 6, 0); /* as long as the first */
	struct run_rank shared = threaded(6, 4, 6);  /* half a core each */
	struct run_rank spins = threaded(12, 24, 0);

	CHECK(near(openmp_lost(&none, 12, 12), 0));
	CHECK(near(openmp_lost(&third, 12, 12), 4));
	CHECK(openmp_lost(&asleep, 12, 12), <, 0.01);
	CHECK(near(openmp_lost(&in_mpi, 12, 6), 0));
	CHECK(near(openmp_lost(&shared, 12, 12), 4));
	CHECK(near(openmp_lost(&spins, 12, 12), 12));
	CHECK(near(openmp_lost(&spins, 0, 0), 0));
}

TEST(openmp_is_a_factor_beside_the_others)
{
	const double elapsed[] = { 10, 10 };
	struct mpi_time mpi[] = { { .total = 2, .waiting = 1, .openmp = 4 },
				  { .total = 4, .waiting = 3, .openmp = 3 } };
	struct efficiency e;

	efficiency_from(&e, elapsed, mpi, 2);
	CHECK(near(e.balance, 7.0 / 8) && near(e.communication, 0.8));
	CHECK(near(e.openmp, 3.5 / 7) && near(e.useful_mean, 3.5));
	CHECK(near(e.parallel, e.balance * e.communication * e.openmp));
	CHECK(near(e.serialisation * e.transfer, e.communication));
}

/* Another metric, of those nodes only, with a part of another one's values. */
static void add_metric(struct run *run, const char *name, const char *from,
		       double part, uint32_t first, uint32_t last)
{
	struct run_metric *m;

	run->metrics = reallocarray(run->metrics, run->metric_count + 1,
				    sizeof(*run->metrics));
	m = &run->metrics[run->metric_count];
	*m = *run_metric(run, from);
	run->metric_count++;
	strcpy(m->name, name);
	m->stats = calloc(FIXTURE_NODES, sizeof(*m->stats));
	m->values = calloc((size_t)FIXTURE_NODES * FIXTURE_RANKS,
			   sizeof(*m->values));
	memcpy(m->values, run_metric(run, from)->values,
	       m->first[FIXTURE_NODES] * sizeof(*m->values));
	for (uint32_t n = 0; n < FIXTURE_NODES; n++)
		for (uint64_t v = m->first[n]; v < m->first[n + 1]; v++) {
			double is = n < first || n > last
					    ? 0
					    : part * (double)m->values[v].value;

			m->values[v].value = (uint64_t)(is + 0.5);
			m->stats[n].sum += is;
		}
	CHECK(!run_entry_stats(run));
}

/* Each rank waited that part of its time in MPI, all in MPI_Allreduce. */
static void add_waits(struct run *run, double part)
{
	struct run_waits *w = &run->waits;

	w->joined.instances = 95;
	w->joined.lacking = 5;
	w->rank_count = w->victim_count = FIXTURE_RANKS;
	w->cause_count = 1;
	w->causes = calloc(1, sizeof(*w->causes));
	w->victims = calloc(FIXTURE_RANKS, sizeof(*w->victims));
	w->ranks = calloc(FIXTURE_RANKS, sizeof(*w->ranks));
	w->causes->kind = WAIT_ALL;
	w->causes->victim = FIXTURE_ALLREDUCE;
	w->causes->culprit = 3;
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		w->victims[r].rank = r;
		w->victims[r].ns = part * (300.0 - 100 * r) * 1e6;
		w->ranks[r].main_ns = w->victims[r].ns;
		w->causes->ns += w->victims[r].ns;
	}
}

TEST(waiting_is_known_below_a_phase)
{
	struct run *run = fixture_run();
	struct run_waits *w = &run->waits;
	struct mpi_time *times;

	add_waits(run, 0.5);
	times = mpi_times(run, FIXTURE_NORM);
	CHECK(times && near(times[0].total, 0.3));
	CHECK(near(times[0].waiting, 0.15));
	CHECK(near(mpi_time_transfer(&times[0]), 0.15));
	free(times);
	times = mpi_times(run, FIXTURE_FACT_1);
	CHECK(times && near(times[0].waiting, 0) && near(times[0].total, 0));
	free(times);
	/* As many lost as may be, and more. */
	CHECK(split_knows_waits(run));
	w->joined.disagreeing = 1;
	CHECK(!split_knows_waits(run));
	w->joined.disagreeing = 0;
	/* Where it was is lost for more than a hundredth of it. */
	w->causes = reallocarray(w->causes, 2, sizeof(*w->causes));
	w->causes[1] = (struct run_cause){ .culprit = WAIT_OTHERS,
					   .ns = 0.02 * w->causes[0].ns };
	w->cause_count = 2;
	times = mpi_times(run, FIXTURE_NORM);
	CHECK(times && isnan(times[0].waiting));
	free(times);
	times = mpi_times(run, FIXTURE_ROOT);
	CHECK(times && near(times[0].waiting, 0.15));
	free(times);
}

TEST(phases_have_efficiencies)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	struct run_metric *open;
	const struct report_table *table;

	/* What every rank has, 1000 calls, as 400 ms: the rest of it is MPI. */
	run->nodes[FIXTURE_NORM].kind = RUN_PHASE;
	add_metric(run, "phase.time", "mpi.calls", 4e5, FIXTURE_ALLREDUCE,
		   FIXTURE_ALLREDUCE);
	add_metric(run, "phase.open", "mpi.calls", 0, 0, 0);
	CHECK(!analysis_find("efficiency")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	table = &report->tables[0];
	CHECK(table->row_count, ==, 2);
	CHECK(report->note_count, ==, 1);
	CHECK(cell(table, 0, "phase")->text, ==, "(run)");
	CHECK(near(cell(table, 1, "elapsed")->number, 0.4));
	CHECK(near(cell(table, 1, "load_balance")->number, 0.625));
	CHECK(near(cell(table, 1, "communication_efficiency")->number, 1));
	CHECK(cell(table, 1, "max_rank")->count, ==, 3);
	CHECK(cell(table, 1, "transfer_efficiency")->none);
	open = &run->metrics[run->metric_count - 1];
	open->stats[FIXTURE_NORM].sum = 2;
	CHECK(!analysis_find("efficiency")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	CHECK(report->tables[0].row_count, ==, 1);
	CHECK(strstr(report->notes[0], "was not ended 2 times"));
}

static const char *note_with(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strstr(report->notes[i], text))
			return report->notes[i];
	return NULL;
}

/* Other things have wrappers, too: a call takes no more than a microsecond. */
TEST(what_wrapping_mpi_takes_is_said_when_it_is_much)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct analysis_options options = { 0 };
	const struct analysis *summary = analysis_find("summary");
	struct report *report;
	const char *note;

	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].wrapper_ns = 20000000;
	CHECK(!summary->run(&report, runs, &options));
	CHECK(!note_with(report, "counting"));
	run->metrics[1].stats[FIXTURE_ALLREDUCE].sum = 4e6;
	CHECK(!summary->run(&report, runs, &options));
	note = note_with(report, "counting");
	CHECK(note && strstr(note, "! 80.0 ms of that"));
	CHECK(strstr(note, "4 million MPI calls, 100 % of them of "
			   "MPI_Allreduce;"));
	/* Fewer are no millions. */
	run->metrics[1].stats[FIXTURE_ALLREDUCE].sum = 400000;
	CHECK(!summary->run(&report, runs, &options));
	note = note_with(report, "counting");
	CHECK(note && strstr(note, "counting 400000 MPI calls, 100 %"));
	run->metrics[1].stats[FIXTURE_ALLREDUCE].sum = 4e6;
	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].wrapper_ns = 1000000;
	CHECK(!summary->run(&report, runs, &options));
	CHECK(!note_with(report, "counting"));
}

TEST(ranks_have_parts)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	const struct report_table *table;

	run->ranks[1].mpi_io_ns = 50000000;
	for (int waits = 0; waits < 2; waits++) {
		if (waits)
			add_waits(run, 0.5);
		CHECK(!analysis_find("ranks")->run(
			&report, runs, &(struct analysis_options){ 0 }));
		table = &report->tables[0];
		CHECK(table->row_count, ==, FIXTURE_RANKS);
		CHECK(near(cell(table, 1, "elapsed")->number, 0.44));
		CHECK(near(cell(table, 1, "compute")->number, 0.23));
		CHECK(near(cell(table, 1, "io")->number, 0.05));
		CHECK(near(cell(table, 1, "other")->number, 0.01));
		CHECK(cell(table, 1, "mpi_wait")->none, ==, !waits);
		CHECK(cell(table, 1, "mpi")->none, ==, waits);
	}
	CHECK(near(cell(table, 1, "mpi_wait")->number, 0.1));
	CHECK(near(cell(table, 1, "mpi_transfer")->number, 0.05));
	CHECK(cell(&report->tables[1], 0, "shape")->text, ==, "linear");
	CHECK(cell(&report->tables[1], 0, "part")->text, ==, "compute");
	/* work alone: what is in MPI is not to be mended. */
	CHECK(cell(&report->tables[3], 0, "function")->text, ==, "work");
	CHECK(report->tables[3].row_count, ==, 1);
	report_free(report);
}

TEST(ranks_mark_outliers_and_files)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	const struct report_table *table;
	const uint64_t mpi[] = { 300, 290, 100, 310 };

	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].mpi_time_ns = mpi[r] * 1000000;
	/* The three recursive calls are one file function, with its callees. */
	run->nodes[FIXTURE_FACT_1].function =
		str_add(&run->strings, "__GI___libc_pread64");
	run->nodes[FIXTURE_FACT_1].module =
		str_add(&run->strings, "/lib/libc.so.6");
	CHECK(!analysis_find("ranks")->run(&report, runs,
					   &(struct analysis_options){ 0 }));
	table = &report->tables[0];
	CHECK(cell(table, 2, "outlier")->text, ==, "compute high, MPI low");
	CHECK(cell(table, 0, "outlier")->text, ==, "");
	CHECK(report->lines[0], ==, "• 1 outlier: rank 2.");
	CHECK(near(cell(table, 3, "files")->number, 0.03));
	report_free(report);
}

TEST(ranks_for_readers_are_those_that_stand_out)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	const struct report_table *table;
	struct report *report = NULL;
	const uint64_t mpi[] = { 300, 290, 100, 310 };

	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].mpi_time_ns = mpi[r] * 1000000;
	run->ranks[3].host = str_add(&run->strings, "node2");
	for (size_t limit = 1; limit < 4; limit++) {
		CHECK(!analysis_find("ranks")->run(
			&report, runs,
			&(struct analysis_options){ .limit = limit }));
		/* Rank 2 is an outlier, and rank 3 has least compute. */
		table = &report->tables[0];
		CHECK(table->row_count, ==, (limit < 2 ? 1 : 2));
		CHECK(cell(table, 0, "rank")->count, ==, 2);
		CHECK(report->note_count, ==, 3 + (limit < 2));
		table = &report->tables[2];
		CHECK(table->row_count, ==, (limit < 2 ? 1 : 2));
		report_free(report);
	}
	CHECK(!analysis_find("ranks")->run(
		&report, runs,
		&(struct analysis_options){ .limit = SIZE_MAX }));
	table = &report->tables[2];
	CHECK(report->tables[0].row_count, ==, 4);
	CHECK(table->row_count, ==, 2);
	CHECK(cell(table, 0, "ranks")->count, ==, 3);
	CHECK(near(cell(table, 0, "compute")->number, 0.2));
	CHECK(near(cell(table, 0, "compute_max")->number, 0.33));
	CHECK(cell(table, 1, "host")->text, ==, "node2");
	report_free(report);
}

/* The reference with half as many ranks, and one where work took longer. */
static struct report *scale(bool weak)
{
	struct run *small = fixture_run(), *big = fixture_run();
	const struct run *runs[] = { small, big, NULL };
	static const char *const names[] = { "small", "big" };
	struct report *report = NULL;
	const struct run_metric *cpu = run_metric(big, "cpu.time");

	add_metric(small, "papi.PAPI_TOT_INS", "cpu.time", 2, 0, FIXTURE_NODES);
	add_metric(small, "papi.PAPI_TOT_CYC", "cpu.time", 1, 0, FIXTURE_NODES);
	add_metric(big, "papi.PAPI_TOT_INS", "cpu.time", 2, 0, FIXTURE_NODES);
	cpu = run_metric(big, "cpu.time");
	cpu->stats[FIXTURE_WORK_42].sum *= 2;
	add_metric(big, "papi.PAPI_TOT_CYC", "cpu.time", 1, 0, FIXTURE_NODES);
	run_metric(big, "papi.PAPI_TOT_CYC")->stats[FIXTURE_WORK_42].sum *= 2;
	small->ranks[2].mpi_ns = small->ranks[3].mpi_ns = 0;
	if (analysis_find("scaling")->run(
		    &report, runs,
		    &(struct analysis_options){ .weak = weak, .names = names }))
		test_fail(__FILE__, __LINE__, fail_reason());
	return report;
}

TEST(scaling_finds_what_was_lost)
{
	struct report *report = scale(false);
	const struct report_table *runs = &report->tables[0];
	const struct report_table *lost = &report->tables[1];

	CHECK(cell(runs, 1, "run")->text, ==, "big");
	CHECK(cell(runs, 0, "ranks")->count, ==, 2);
	CHECK(near(cell(runs, 0, "computation_scaling")->number, 1));
	CHECK(near(cell(runs, 1, "computation_scaling")->number, 0.36 / 1.12));
	CHECK(near(cell(runs, 1, "speedup")->number, 1));
	CHECK(near(cell(runs, 1, "lost")->number, 2 * 0.43));
	CHECK(near(cell(runs, 1, "global_efficiency")->number,
		   cell(runs, 1, "parallel_efficiency")->number * 0.36 / 1.12));
	CHECK(lost->row_count, ==, 1);
	CHECK(cell(lost, 0, "call_path")->text, ==, "work ← solve ← main");
	CHECK(cell(lost, 0, "kind")->text, ==, "compute");
	CHECK(near(cell(lost, 0, "expected")->number, 1));
	CHECK(near(cell(lost, 0, "lost")->number, 0.75));
	report_free(report);
}

TEST(scaling_by_counters_and_weak)
{
	struct report *report = scale(true);
	const struct report_table *counters = &report->tables[2];

	CHECK(near(cell(&report->tables[0], 1, "computation_scaling")->number,
		   2 * 0.36 / 1.12));
	CHECK(near(cell(&report->tables[0], 1, "lost")->number, 0));
	/* Twice as much was expected, so less than that is no loss. */
	CHECK(report->tables[1].row_count, ==, 0);
	CHECK(near(cell(counters, 0, "ipc")->number, 2));
	CHECK(near(cell(counters, 1, "instruction_scaling")->number, 2));
	CHECK(near(cell(counters, 1, "ipc_scaling")->number, 1.12 / 1.87));
	CHECK(near(cell(counters, 1, "frequency_scaling")->number, 1));
	report_free(report);
}

TEST(scaling_wants_two_runs)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct report *report = NULL;

	CHECK(analysis_find("scaling")->run(&report, runs,
					    &(struct analysis_options){ 0 }),
	      <, 0);
	CHECK(strstr(fail_reason(), "two profiles"));
}

TEST(skew_is_max_less_mean)
{
	struct run *run = fixture_run();
	struct paths paths;
	struct skews skews;
	double values[FIXTURE_RANKS];
	struct skew outside;

	CHECK(!paths_init(&paths, run));
	CHECK(!imbalance_init(&skews, &paths, run_metric(run, "cpu.time")));
	/* work and its mirror, the wait; norm is explained by the latter */
	CHECK(skews.count, ==, paths.count - 1);
	CHECK(!skews.at[0].explained && skews.at[1].explained);
	CHECK(skews.at[1].path, ==, paths.of[FIXTURE_NORM]);
	CHECK(skews.at[0].path, ==, paths.of[FIXTURE_WORK]);
	CHECK(near(skews.at[0].mean, 0.25) && near(skews.at[0].max, 0.4));
	CHECK(near(skews.at[0].imbalance, 0.15));
	CHECK(skews.at[0].max_process, ==, 3);
	imbalance_values(&skews, skews.at[0].path, values);
	CHECK(near(values[1], 0.2));
	/* All that is uneven in norm is that it waits. */
	CHECK(!imbalance_outside_mpi(&skews, paths.of[FIXTURE_NORM], values,
				     &outside));
	CHECK(near(outside.imbalance, 0) && near(values[1], outside.mean));
	CHECK(near(outside.recoverable, 0));
	CHECK(!imbalance_outside_mpi(&skews, paths.of[FIXTURE_WORK], values,
				     &outside));
	CHECK(near(outside.recoverable, 0.15));
	CHECK(outside.max_process, ==, 3);
	imbalance_fini(&skews);
	paths_fini(&paths);
}

/* fixture_run() with so much CPU time in the outermost fact(). */
static struct run *run_with_fact(const unsigned int ms[FIXTURE_RANKS])
{
	struct run *run = fixture_run();
	struct run_metric *m = &run->metrics[0];

	CHECK(m->name, ==, "cpu.time");
	for (int r = 0; r < FIXTURE_RANKS; r++)
		m->values[m->first[FIXTURE_FACT_1] + (uint64_t)r].value =
			1000000 * ms[r];
	CHECK(!run_stats(run) && !run_entry_stats(run));
	return run;
}

/* work takes 100 ms on rank 0, and 100 ms more on each that follows. */
TEST(what_others_make_up_for_is_not_recoverable)
{
	static const struct {
		unsigned int fact_ms[FIXTURE_RANKS];
		double work, fact; /* recoverable */
	} cases[] = {
		{ { 10, 10, 10, 10 }, 0.15, 0 },
		{ { 400, 300, 200, 100 }, 0, 0 },
		/* The last one has 0.5 s, and would be second with 0.45. */
		{ { 200, 100, 100, 100 }, 0.05, 0 },
		/* Both, on one rank. */
		{ { 100, 100, 100, 500 }, 0.15, 0.3 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run *run = run_with_fact(cases[i].fact_ms);
		double values[FIXTURE_RANKS];
		struct paths paths;
		struct skews skews;
		struct skew work, fact, wait;

		CHECK(!paths_init(&paths, run));
		CHECK(!imbalance_init(&skews, &paths, &run->metrics[0]));
		CHECK(!imbalance_outside_mpi(&skews, paths.of[FIXTURE_WORK],
					     values, &work) &&
		      !imbalance_outside_mpi(&skews, paths.of[FIXTURE_FACT_1],
					     values, &fact) &&
		      !imbalance_outside_mpi(&skews,
					     paths.of[FIXTURE_ALLREDUCE],
					     values, &wait));
		CHECK(near(work.recoverable, cases[i].work));
		CHECK(near(fact.recoverable, cases[i].fact));
		CHECK(near(work.imbalance, 0.15));
		CHECK(wait.imbalance, ==, 0);
		CHECK(wait.recoverable, ==, 0);
		imbalance_fini(&skews);
		paths_fini(&paths);
		run_free(run);
	}
}

TEST(imbalance_names_the_rank)
{
	struct report *report =
		analyse("imbalance", &(struct analysis_options){ 0 });
	const struct report_table *table = &report->tables[0];

	CHECK(cell(table, 0, "call_path")->text, ==, "work ← solve ← main");
	CHECK(cell(table, 0, "max_rank")->count, ==, 3);
	CHECK(near(cell(table, 0, "max_mean")->number, 1.6));
	CHECK(near(cell(table, 0, "imbalance")->number, 0.15));
	CHECK(near(cell(table, 0, "recoverable")->number, 0.15));
	CHECK(cell(table, 0, "shape")->text, ==, "linear");
	/* All that differs there is who waits. */
	CHECK(cell(table, 1, "function")->text, ==, "MPI_Allreduce");
	CHECK(near(cell(table, 1, "imbalance")->number, 0.15));
	CHECK(near(cell(table, 1, "recoverable")->number, 0));
	CHECK(report->tables[1].row_count, ==, FIXTURE_RANKS);
	CHECK(near(cell(&report->tables[1], 0, "useful")->number, 0.13));
	report_free(report);
}

TEST(mpi_calls_have_sizes)
{
	struct report *report =
		analyse("mpi-calls", &(struct analysis_options){ 0 });
	const struct report_table *table = &report->tables[0];

	CHECK(table->row_count, ==, 1);
	CHECK(cell(table, 0, "calls")->count, ==, 4000);
	CHECK(near(cell(table, 0, "seconds")->number, 0.6));
	CHECK(cell(table, 0, "bytes_sent")->count, ==, 32000);
	CHECK(cell(table, 0, "mean_size")->count, ==, 8);
	CHECK(cell(table, 0, "line")->count, ==, 30);
	report_free(report);
}

TEST(tree_prunes_and_sorts)
{
	struct report *report =
		analyse("tree", &(struct analysis_options){ .prune = 0.1 });

	CHECK(report->tree_count, ==, 5);
	CHECK(report->tree[0].name, ==, "main");
	CHECK(near(report->tree[0].inclusive, 1.72));
	CHECK(report->tree[2].name, ==, "work");
	CHECK(report->tree[2].depth, ==, 2);
	CHECK(report->note_count, ==, 1); /* fact is not shown */
	report_free(report);
}

TEST(tree_has_no_more_rows_than_asked_for)
{
	struct report *report;

	for (size_t limit = 1; limit < FIXTURE_NODES; limit++) {
		report = analyse("tree",
				 &(struct analysis_options){ .limit = limit });
		/* Two lines are no rows of their own, nor is the root. */
		CHECK(report->tree_count, ==,
		      (limit < FIXTURE_NODES - 3 ? limit : FIXTURE_NODES - 3));
		CHECK(report->tree[0].depth, ==, 0);
		report_free(report);
	}
}

TEST(tree_grows_upwards_too)
{
	struct report *report = analyse(
		"tree", &(struct analysis_options){ .bottom_up = true });

	CHECK(report->tree[0].name, ==, "work");
	CHECK(near(report->tree[0].inclusive, 1.0));
	CHECK(report->tree[1].name, ==, "solve");
	CHECK(report->tree[2].name, ==, "main");
	CHECK(near(report->tree[2].exclusive, 1.0));
	report_free(report);
}

static void wait_for_cores(struct run *run, size_t rank, uint64_t key,
			   uint64_t cores, uint64_t waited_ms)
{
	struct run_rank *r = &run->ranks[rank];

	r->elapsed_ns = 1000000000;
	r->process_cpu_ns = r->elapsed_ns - 1000000 * waited_ms;
	r->cores = (struct cores){ .count = cores,
				   .key = key,
				   .waited_ns = 1000000 * waited_ms };
}

/* The run was changed since it was split last. */
static void split_again(struct run *run)
{
	run_split_fini(&run->split);
	CHECK(!split_make(run));
}

static bool summary_says(struct run *run, const char *text)
{
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	bool found = false;

	split_again(run);
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	for (size_t i = 0; i < report->line_count; i++)
		found |= strstr(report->lines[i], text) != NULL;
	report_free(report);
	return found;
}

/* Parts are said, whoever knows why; their sum is the whole. */
TEST(summary_says_each_large_part)
{
	struct run *run = fixture_run();
	uint64_t sum = 0, whole = 0, places = 0;

	CHECK(summary_says(run, "34 % MPI itself: 600 ms in MPI_Allreduce ← "
				"norm ← solve; most on rank 0: 300 ms, the "
				"mean is 150 ms."));
	CHECK(summary_says(run, "work: 1.12 s"));
	for (size_t i = 0; i < run->split.rank_count; i++)
		sum += run->split.ranks[i].ns;
	for (size_t i = 0; i < run->split.path_count; i++)
		places += run->split.paths[i].ns;
	for (size_t i = 0; i < run->rank_count; i++)
		whole += run->ranks[i].elapsed_ns;
	CHECK(sum, ==, whole);
	CHECK(places, ==, whole);
	run_free(run);
}

/* Ranks without a count of their own are taken to be like the others. */
TEST(split_takes_uncounted_ranks_for_like_others)
{
	struct run *run = fixture_run();
	struct time_split split;

	run->ranks[0].cores.count = 3;
	run->ranks[0].cores.waited_ns = 0;
	split_again(run);
	CHECK(!time_split_init(&split, run));
	CHECK(near(split.parts[SPLIT_UNKNOWN].seconds, 0));
	CHECK(split.parts[SPLIT_BLOCKED].seconds, >, 0);
	CHECK(split.parts[SPLIT_CORE].high, >, 0);
	time_split_fini(&split);
	run_free(run);
}

/* A hundred threads, one after another, wanted cores for as long as one. */
TEST(split_takes_threads_by_their_time)
{
	struct run *run = fixture_run();
	struct run_thread_group *g = calloc(1, sizeof(*g));
	double wanted = 0.01, whole, first;
	struct time_split split;

	*g = (struct run_thread_group){ .kind = RUN_THREAD_BEGUN,
					.threads = 100,
					.cpu_ns = 20000000,
					.elapsed_ns = 200000000 };
	run->threads.groups = g;
	run->threads.group_count = 1;
	run->ranks[0].cores.count = 3;
	run->ranks[0].cores.waited_ns = (uint64_t)(1e9 * wanted);
	split_again(run);
	CHECK(!time_split_init(&split, run));
	first = (double)run->ranks[0].elapsed_ns / 1e9;
	whole = first + 0.2;
	CHECK(split.ranks[0][SPLIT_CORE], <=, 1.001 * wanted * whole / first);
	time_split_fini(&split);
	run_free(run);
}

TEST(summary_says_who_waited_for_cores)
{
	struct run *run = fixture_run();

	CHECK(!summary_says(run, "for a core"));
	for (size_t i = 0; i < 4; i++)
		wait_for_cores(run, i, 5, 2, i == 2 ? 540 : 460);
	CHECK(summary_says(run, "• Ranks 0–3 waited for a core 48 % of the "
				"time, rank 2 54 % ("));
	CHECK(summary_says(run, " % while they had work): 4 ranks shared 2 "
				"cores of node1."));
	/* All as long: a figure is said once. */
	for (size_t i = 0; i < 4; i++)
		wait_for_cores(run, i, 5, 2, i == 2 ? 472 : 470);
	CHECK(summary_says(run, "• Ranks 0–3 waited for a core 47 % of the "
				"time ("));
	/* What they lacked they did not use themselves. */
	for (size_t i = 0; i < 4; i++)
		run->ranks[i].process_cpu_ns = 150000000;
	CHECK(summary_says(run, "4 ranks shared 2 cores of node1 with other "
				"programs."));
	/* Each its own core, but threads of it. */
	for (size_t i = 0; i < 4; i++)
		wait_for_cores(run, i, i, 1, i ? 20 : 150);
	run->ranks[0].threads = 8;
	run->ranks[0].process_cpu_ns = 990000000;
	CHECK(summary_says(run,
			   "• Rank 0 waited for a core 15 % of the time ("));
	CHECK(summary_says(run, " % while they had work): "
				"1 rank with 8 threads had 1 core of node1."));
	run->ranks[0].process_cpu_ns = 500000000;
	CHECK(summary_says(run,
			   "• Rank 0 waited for a core 15 % of the time ("));
	CHECK(summary_says(run, " % while they had work): "
				"others used the cores of node1."));
	/* Whatever it used: one thread is not in its own way. */
	run->ranks[0].threads = 1;
	run->ranks[0].process_cpu_ns = 850000000;
	CHECK(summary_says(run,
			   "• Rank 0 waited for a core 15 % of the time ("));
	CHECK(summary_says(run, " % while they had work): "
				"others used the cores of node1."));
	run->ranks[0].cores.waited_ns = 50000000;
	CHECK(!summary_says(run, "for a core"));
	/* It waited before it was measured as well. */
	wait_for_cores(run, 0, 0, 1, 900);
	run->ranks[0].threads = 1;
	run->ranks[0].elapsed_ns = 400000000;
	run->ranks[0].process_cpu_ns = 300000000;
	CHECK(summary_says(run, "! Rank 0 waited for a core 75 % of the time"));
	run_free(run);
}

static bool diagnosis_says(const struct run *run, const char *text)
{
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	bool found = false;

	CHECK(!analysis_find("diagnose")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	for (size_t i = 0; i < report->line_count; i++)
		found |= strstr(report->lines[i], text) != NULL;
	report_free(report);
	return found;
}

/* Rules of the source tree, as those to be installed may not be there yet. */
static void find_rules(void)
{
	static const char this[] = "tests/unit/analyses.c";
	char folder[4096];
	size_t size = strlen(__FILE__) - strlen(this);

	snprintf(folder, sizeof(folder), "%.*sshare/rules", (int)size,
		 __FILE__);
	if (access(folder, R_OK))
		test_skip("the source tree is elsewhere");
	setenv("COPSE_RULES", folder, 1);
}

/* 4 % of the time, which says nothing where ranks lack cores. */
TEST(a_barrier_waits_for_those_without_a_core)
{
	struct run *run = fixture_run();

	find_rules();
	run->nodes[FIXTURE_ALLREDUCE].function =
		str_add(&run->strings, "MPI_Barrier");
	for (size_t i = 0; i < 4; i++)
		run->ranks[i].elapsed_ns = run->ranks[i].mpi_ns = 4000000000;
	CHECK(diagnosis_says(run, "calls of MPI_Barrier ← norm"));
	for (size_t i = 0; i < 4; i++) {
		wait_for_cores(run, i, 5, 2, 2000);
		run->ranks[i].elapsed_ns = 4000000000;
		run->ranks[i].process_cpu_ns = 2000000000;
	}
	CHECK(!diagnosis_says(run, "calls of MPI_Barrier ← norm"));
	run_free(run);
}

/* The program's own functions are no library's, whatever they begin with. */
TEST(a_function_of_ones_own_is_no_library)
{
	struct run *run = fixture_run();
	struct library_use *uses;
	struct paths paths;

	run->nodes[FIXTURE_WORK].function =
		run->nodes[FIXTURE_WORK_42].function =
			run->nodes[FIXTURE_WORK_43].function =
				str_add(&run->strings, "system_kick");
	run->nodes[FIXTURE_NORM].function = str_add(&run->strings, "memcpy");
	run->nodes[FIXTURE_NORM].module =
		str_add(&run->strings, "/lib/libc.so.6");
	run->nodes[FIXTURE_NORM].file = str_add(&run->strings, "");
	CHECK(!paths_init(&paths, run));
	uses = library_uses(&paths);
	CHECK(uses && !uses[paths.of[FIXTURE_WORK]].purpose);
	CHECK(uses);
	CHECK(uses[paths.of[FIXTURE_NORM]].purpose, ==, LIBRARY_COPIES);
	free(uses);
	paths_fini(&paths);
	run_free(run);
}

/* Of a few samples, one more or less is much. */
TEST(few_samples_leave_nothing_to_recover)
{
	struct run *run = fixture_run();

	CHECK(summary_says(run, "recoverable"));
	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].samples = 20;
	CHECK(!summary_says(run, "recoverable"));
	run_free(run);
}

/* Nor do functions that differ, where the ranks are as long outside MPI. */
TEST(different_work_leaves_nothing_to_recover)
{
	struct run *run =
		run_with_fact((const unsigned int[]){ 400, 300, 200, 100 });

	CHECK(!summary_says(run, "recoverable"));
	run_free(run);
	/* However much CPU time several threads have meanwhile. */
	run = fixture_run();
	for (int r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].mpi_time_ns = (r == 3 ? 100 : 220) * 1000000u;
	CHECK(summary_says(run, "• 90.0 ms recoverable: work ← solve ← main "
				"took 400 ms on rank 3, 250 ms on average"));
	run_free(run);
}

TEST(a_clock_has_nothing_to_recover)
{
	struct run *run = fixture_run();

	run->nodes[FIXTURE_WORK].function =
		run->nodes[FIXTURE_WORK_42].function =
			run->nodes[FIXTURE_WORK_43].function =
				str_add(&run->strings, "PMPI_Wtime");
	CHECK(summary_says(run, "recoverable: solve ← main took 400 ms on "
				"rank 3, 250 ms on average"));
	run_free(run);
}

/* 10 of 20 ms of the shell, beside seconds of what it started. */
TEST(measurement_weighs_the_time_that_samples_lack)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };

	for (int shell = 1; shell >= 0; shell--) {
		struct report *report = NULL;
		bool said = false;

		for (size_t i = 0; i < run->rank_count; i++) {
			run->ranks[i].cpu_ns =
				shell && !i ? 10000000 : 2000000000;
			run->ranks[i].process_cpu_ns =
				i ? 0 : (shell ? 20000000 : 4000000000);
		}
		CHECK(!analysis_find("measurement")
			       ->run(&report, runs,
				     &(struct analysis_options){ 0 }));
		for (size_t i = 0; i < report->note_count; i++)
			said |= strstr(report->notes[i],
				       "Samples hold 80.0 %") != NULL;
		CHECK(said, ==, !shell);
		for (size_t i = 0; i < report->note_count && shell; i++)
			CHECK(!strstr(report->notes[i], "Samples hold"));
		report_free(report);
	}
}

static struct run *run_without_mpi(void)
{
	struct run *run = fixture_run();

	run->world = 0;
	for (size_t i = 0; i < run->rank_count; i++) {
		run->ranks[i].rank = -1;
		run->ranks[i].mpi_ns = run->ranks[i].mpi_time_ns = 0;
	}
	return run;
}

/* What the summary says of four processes without MPI that start like this. */
static struct report *summary_of(const uint64_t starts_ms[FIXTURE_RANKS],
				 const char *last_host)
{
	struct run *run = run_without_mpi();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;

	for (size_t i = 0; i < run->rank_count; i++)
		run->ranks[i].start_real_ns = 1000000 * starts_ms[i];
	run->ranks[FIXTURE_RANKS - 1].host = str_add(&run->strings, last_host);
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	return report;
}

static bool has_line(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->line_count; i++)
		if (strstr(report->lines[i], text))
			return true;
	return false;
}

/* Each took 440 ms; fixture_run() is uneven. */
TEST(elapsed_is_from_first_start_to_last_end)
{
	static const struct {
		uint64_t starts_ms[FIXTURE_RANKS];
		const char *last_host;
		double elapsed;
		bool together;
	} cases[] = {
		{ { 7000, 7000, 7000, 7000 }, "node1", 0.44, true },
		{ { 7100, 7000, 7200, 7300 }, "node1", 0.74, true },
		{ { 8000, 7000, 7500, 8500 }, "node1", 1.94, false },
		/* Another host's time of day is another. */
		{ { 7100, 7000, 7200, 99000 }, "node2", 0.64, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct report *report =
			summary_of(cases[i].starts_ms, cases[i].last_host);

		CHECK(near(cell(&report->tables[0], 0, "elapsed")->number,
			   cases[i].elapsed));
		CHECK(has_line(report, "recoverable"), ==, cases[i].together);
		report_free(report);
	}
}

static bool has_note(const struct report *report, const char *text)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strstr(report->notes[i], text))
			return true;
	return false;
}

/* What MPI took is its caller's, norm's, which has a name. */
TEST(summary_says_what_has_no_names)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	const struct analysis_options options = { 0 };
	struct report *report = NULL;

	CHECK(!analysis_find("summary")->run(&report, runs, &options));
	CHECK(!has_note(report, "without a name"));
	report_free(report);
	run->nodes[FIXTURE_WORK].flags |= RUN_UNNAMED;
	run->nodes[FIXTURE_WORK_42].flags |= RUN_UNNAMED; /* its line */
	CHECK(!analysis_find("summary")->run(&report, runs, &options));
	CHECK(has_note(report, "58 % of cpu.time is in functions without"));
	CHECK(has_note(report, "most in app:"));
	report_free(report);
}

TEST(without_mpi_elapsed_time_is_not_taken_for_work)
{
	struct run *run = run_without_mpi();
	const struct run *runs[] = { run, NULL };
	const struct analysis_options options = { 0 };
	struct report *report = NULL;

	for (int apart = 0; apart < 2; apart++) {
		if (apart)
			run->ranks[0].start_real_ns = 1000000000;
		CHECK(!analysis_find("imbalance")
			       ->run(&report, runs, &options));
		CHECK(has_line(report, "at the same time"), ==, apart);
		report_free(report);
	}
	CHECK(!analysis_find("ranks")->run(&report, runs, &options));
	CHECK(has_note(report, "Without MPI, compute is all time"));
	report_free(report);
}

/* No table of zeros. */
TEST(waits_need_mpi)
{
	struct run *run = run_without_mpi();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;

	run->waits.ranks = calloc(FIXTURE_RANKS, sizeof(*run->waits.ranks));
	CHECK(!analysis_find("waits")->run(&report, runs,
					   &(struct analysis_options){ 0 }));
	CHECK(has_line(report, "No MPI was"));
	for (size_t i = 0; i < report->table_count; i++)
		CHECK(!report->tables[i].row_count);
	report_free(report);
}

TEST(summary_tells_waiting_apart)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	const struct report_table *table;

	add_waits(run, 0.75);
	split_again(run);
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	table = &report->tables[1];
	CHECK(cell(table, 1, "quantity")->text, ==, "waiting in MPI");
	CHECK(near(cell(table, 1, "max")->number, 0.225));
	CHECK(cell(table, 2, "quantity")->text, ==, "MPI itself");
	CHECK(near(cell(table, 2, "max")->number, 0.075));
	CHECK(near(cell(&report->tables[0], 0, "transfer_efficiency")->number,
		   1)); /* rank 3 has none */
	CHECK(strstr(report->lines[1], "serialisation 100 % × transfer"));
	report_free(report);
}

TEST(summary_says_who_died)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;
	bool killed = false, aborted = false;

	run->ranks[2].end = 2;
	run->ranks[2].end_code = 11;
	run->ranks[1].mpi_error = 4;
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	for (size_t i = 0; i < report->line_count; i++) {
		killed |= !strcmp(report->lines[i], "! Rank 2 was killed by "
						    "signal 11 (SIGSEGV).");
		aborted |= !strcmp(report->lines[i],
				   "! Rank 1 called MPI_Abort(3).");
	}
	CHECK(killed && aborted);
	report_free(report);
}

TEST(confidence_is_wilsons)
{
	struct confidence c = confidence_of(0.5, 100);

	/* As tables of the score interval have it. */
	CHECK(fabs(c.low - 0.403832), <, 1e-6);
	CHECK(fabs(c.high - 0.596168), <, 1e-6);
	CHECK(fabs(c.margin - 0.096168), <, 1e-6);
	c = confidence_of(0, 100);
	CHECK(c.low, <, 1e-12);
	CHECK(fabs(c.high - 0.036993), <, 1e-6);
	c = confidence_of(1, 10);
	CHECK(fabs(c.low - 0.722467), <, 1e-6);
	CHECK(c.high, >, 1 - 1e-12);
	c = confidence_of(0.3, 0);
	CHECK(near(c.low, 0) && near(c.high, 1) && near(c.margin, 1));
}

TEST(samples_of_equal_weight_count_as_one)
{
	struct run *run = fixture_run();
	const struct run_metric *time = run_metric(run, "cpu.time");
	double before = confidence_samples(run, time);

	CHECK(near(before, 1720));
	/* Calls are counted, not sampled. */
	CHECK(near(confidence_samples(run, run_metric(run, "mpi.calls")), 0));
	/* 100 of the samples weigh ten times as much: (1620 + 1000)^2 / ... */
	time->values[time->first[FIXTURE_ALLREDUCE + 1] - 1].value *= 10;
	CHECK(!run_stats(run));
	CHECK(near(confidence_samples(run, time),
		   2620.0 * 2620.0 / (1620 + 100 * 100)));
}

/* The summary of the fixture with other numbers of samples has the line. */
static bool says(const uint64_t *samples, const char *line)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;

	for (size_t r = 0; r < FIXTURE_RANKS; r++)
		run->ranks[r].samples = samples[r];
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	for (size_t i = 0; i < report->line_count; i++)
		if (!strncmp(report->lines[i], line, strlen(line)))
			return true;
	return false;
}

TEST(summary_warns_of_few_samples)
{
	CHECK(says((uint64_t[]){ 4, 3, 2, 1 },
		   "! Only 10 samples: too few to say where the time went "
		   "(50 % could be 24 to 76 %)"));
	CHECK(says((uint64_t[]){ 0, 0, 0, 0 }, "! No samples"));
	CHECK(says((uint64_t[]){ 430, 99, 50, 100 },
		   "! 2 ranks (1, 2) with fewer than 100 samples, the least "
		   "50:"));
	CHECK(!says((uint64_t[]){ 100, 100, 100, 100 }, "!"));
}

TEST(summary_says_which_python_is_not_known)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct report *report = NULL;

	run->ranks[1].python = 0x309;
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	CHECK(has_note(report, "Of Python 3.9 call paths have"));
	report_free(report);
	run->ranks[1].python_known = 1;
	CHECK(!analysis_find("summary")->run(&report, runs,
					     &(struct analysis_options){ 0 }));
	CHECK(!has_note(report, "Of Python"));
	report_free(report);
	run_free(run);
}

TEST(without_gaps_none_is_the_largest_part_of_them)
{
	struct run *run = fixture_run();
	const struct run *runs[] = { run, NULL };
	struct run_device device = { 0 };
	struct run_gpu_rank busy = { .busy_ns = UINT64_MAX };
	struct report *report = NULL;

	strcpy(run->metrics[0].name, "gpu.idle");
	run->gpu.devices = &device;
	run->gpu.ranks = &busy;
	run->gpu.device_count = run->gpu.rank_count = 1;
	CHECK(!analysis_find("gpu-idle")
		       ->run(&report, runs, &(struct analysis_options){ 0 }));
	CHECK(strstr(report->lines[0], "nothing to do for 0 s"));
	CHECK(report->line_count, ==, 1);
}

TEST(unknown_metric_lists_those_known)
{
	const struct run *runs[] = { fixture_run(), NULL };
	struct report *report = NULL;

	CHECK(analysis_find("hotspots")
		      ->run(&report, runs,
			    &(struct analysis_options){ .metric = "x" }),
	      <, 0);
	CHECK(strstr(fail_reason(), "mpi.calls"));
}

/* A program that only allocates on GPUs has none. */
TEST(of_no_records_of_gpus_there_is_no_share)
{
	struct report *report = report_new("gpu-kernels", NULL);
	const struct report_table *table;

	gpu_records_table(report, fixture_run());
	table = &report->tables[0];
	CHECK(table->row_count, ==, 1);
	CHECK(cell(table, 0, "records")->number, ==, 0);
	CHECK(cell(table, 0, "share")->none);
	CHECK(cell(table, 0, "attributed")->none);
	report_free(report);
}
