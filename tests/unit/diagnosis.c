/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnosis.c - patterns of waiting that are made by hand, and their rules. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/diagnose/diagnosis.h"
#include "analyse/diagnose/facts.h"
#include "analyse/gpu/gpu-busy.h"
#include "analyse/summary/summary-sentences.h"
#include "analyse/threads/omp-regions.h"
#include "base/err.h"
#include "base/gpu-calls.h"
#include "profile/profile.h"
#include "run/run-build.h"
#include "run/run-tables.h"
#include "tests/lib/test.h"
#include "tests/unit/fixture-run.h"

#define MS 1000000u

struct made {
	struct run *run;
	struct paths paths;
	struct blames blames;
	struct diagnosis d;
};

/* Each rank is in work() so long, the rest of 400 ms in MPI_Allreduce. */
static void set_work(struct run_metric *m, const unsigned *ms)
{

	for (uint32_t n = FIXTURE_WORK; n <= FIXTURE_ALLREDUCE; n++) {
		m->stats[n].sum = 0;
		for (uint64_t v = m->first[n]; v < m->first[n + 1]; v++) {
			unsigned work = ms[m->values[v].rank];
			uint64_t is = n == FIXTURE_WORK_42   ? work * 3 / 4
				      : n == FIXTURE_WORK_43 ? work / 4
							     : 400 - work;

			m->values[v].value = is * MS;
			m->stats[n].sum += (double)(is * MS);
		}
	}
}

static void make(struct made *m, const unsigned *ms)
{
	*m = (struct made){ .run = fixture_run() };
	set_work(&m->run->metrics[0], ms); /* cpu.time */
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++)
		m->run->ranks[r].mpi_time_ns = (400 - ms[r]) * MS;
	CHECK(!run_entry_stats(m->run));
	CHECK(!paths_init(&m->paths, m->run));
	m->blames.paths = &m->paths;
	m->blames.run_seconds = 0.44 * FIXTURE_RANKS;
}

/* A rank waits in MPI_Allreduce for another one, which is in work(). */
static void add_blame(struct made *m, enum wait_kind kind, uint32_t victim,
		      uint32_t culprit, double seconds)
{
	struct blames *b = &m->blames;
	size_t i = b->count++;

	b->at = reallocarray(b->at, b->count, sizeof(*b->at));
	b->rows = reallocarray(b->rows, b->count, sizeof(*b->rows));
	b->victims = reallocarray(b->victims, b->count, sizeof(*b->victims));
	b->row_count = b->victim_count = b->count;
	b->seconds += seconds;
	b->at[i] = (struct blame){
		.kind = kind,
		.victim = m->paths.of[FIXTURE_ALLREDUCE],
		.culprit = culprit,
		.seconds = seconds,
		.instances = 100,
		.first_row = i,
		.rows = 1,
		.first_victim = i,
		.victims = 1,
	};
	b->rows[i] = (struct blame_row){
		.blame = (uint32_t)i,
		.context = m->paths.of[FIXTURE_WORK],
		.seconds = seconds,
		.samples = 100,
	};
	b->victims[i] = (struct blame_victim){ (uint32_t)i, victim, seconds };
}

/* The first finding is of that rule (NULL: there is none). */
static const struct diagnosis_finding *found(struct made *m, const char *rule)
{
	const char *srcdir = getenv("srcdir");
	char folder[4096];

	snprintf(folder, sizeof(folder), "%s/share/rules",
		 srcdir ? srcdir : "..");
	setenv("COPSE_RULES", folder, 1);
	if (diagnosis_init(&m->d, &m->paths, &m->blames,
			   run_metric(m->run, "cpu.time"), NULL))
		test_fail(__FILE__, __LINE__, fail_reason());
	if (m->d.problem)
		test_fail(__FILE__, __LINE__, m->d.problem);
	CHECK(m->d.count != 0, ==, rule != NULL);
	if (m->d.count && strcmp(m->d.at[0].rule->name, rule) != 0)
		test_fail(__FILE__, __LINE__, m->d.at[0].text);
	return m->d.count ? &m->d.at[0] : NULL;
}

static void end(struct made *m)
{
	diagnosis_fini(&m->d);
	free(m->blames.at);
	free(m->blames.rows);
	free(m->blames.victims);
	paths_fini(&m->paths);
}

static bool near(double is, double wanted)
{
	return is > 0.99 * wanted && is < 1.01 * wanted;
}

TEST(diagnosis_rows_of_ranks)
{
	struct fact f = { 0 };

	CHECK(fact_name_ranks(&f, (uint32_t[]){ 0, 1, 2, 5, 7, 8 }, 6));
	CHECK(f.rows, ==, "0-2,5,7-8");
	free(f.rows);
	CHECK(fact_name_ranks(&f, NULL, 0));
	CHECK(f.rows, ==, "");
	free(f.rows);
}

TEST(diagnosis_uneven_load)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 400 });
	for (uint32_t r = 0; r < 3; r++)
		add_blame(&m, WAIT_ALL, r, 3, 0.3);
	f = found(&m, "uneven-load");
	CHECK(f->ranks, ==, "rank 3");
	CHECK(f->rows, ==, "3");
	CHECK(near(f->gain, 0.225));
	CHECK(f->severity, ==, SEVERITY_HIGH);
	CHECK(f->gain, ==, f->most);
	end(&m);
}

TEST(diagnosis_serial_section)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 300, 0, 0, 0 });
	for (uint32_t r = 1; r < 4; r++)
		add_blame(&m, WAIT_ALL, r, 0, 0.3);
	f = found(&m, "serial-section");
	CHECK(f->ranks, ==, "rank 0");
	CHECK(f->rows, ==, "0");
	CHECK(near(f->gain, 0.225));
	end(&m);
}

/* Rank 0 is in fact() for longer, and that much less in MPI. */
static void add_fact(struct made *m, unsigned ms)
{
	struct run_metric *time = &m->run->metrics[0];
	uint64_t *fact = &time->values[time->first[FIXTURE_FACT_1]].value;
	uint64_t *mpi = &time->values[time->first[FIXTURE_ALLREDUCE]].value;

	*fact += ms * MS;
	*mpi -= ms * MS;
	time->stats[FIXTURE_FACT_1].sum += ms * 1e6;
	time->stats[FIXTURE_ALLREDUCE].sum -= ms * 1e6;
	m->run->ranks[0].mpi_time_ns -= ms * MS;
	CHECK(!run_entry_stats(m->run));
}

/* All do the same when the others begin to wait: why rank 0 comes later. */
TEST(diagnosis_what_was_before)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	add_fact(&m, 200);
	for (uint32_t r = 1; r < 4; r++)
		add_blame(&m, WAIT_ALL, r, 0, 0.2);
	f = found(&m, "uneven-load");
	CHECK(strstr(f->text, " in fact") != NULL);
	CHECK(f->ranks, ==, "rank 0");
	CHECK(near(f->gain, 0.15));
	end(&m);
}

/* What it does more than others explains no more than was waited there. */
TEST(diagnosis_what_was_before_in_three_places)
{
	static const uint32_t places[] = { FIXTURE_NORM, FIXTURE_SOLVE };
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	add_fact(&m, 200);
	for (uint32_t r = 1; r < 4; r++) {
		add_blame(&m, WAIT_LATE_SENDER, r, 0, 0.17);
		m.blames.rows[m.blames.row_count - 1].context =
			m.paths.of[FIXTURE_FACT_1];
		for (size_t i = 0; i < 2; i++) {
			add_blame(&m, WAIT_LATE_SENDER, r, 0, 0.03);
			m.blames.at[m.blames.count - 1].victim =
				m.paths.of[places[i]];
		}
	}
	f = found(&m, "late-sender");
	CHECK(strstr(f->text, " in fact") != NULL);
	CHECK(f->ranks, ==, "rank 0");
	end(&m);
}

/* Each is late in its turn, and totals are even. */
TEST(diagnosis_rotating)
{
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	for (uint32_t late = 0; late < 4; late++)
		for (uint32_t r = 0; r < 4; r++)
			if (r != late)
				add_blame(&m, WAIT_ALL, r, late, 0.1);
	CHECK(near(found(&m, "rotating")->gain, 0.3));
	end(&m);
}

/* Each waits for the message of the one before. */
TEST(diagnosis_chain)
{
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	for (uint32_t r = 1; r < 4; r++)
		add_blame(&m, WAIT_LATE_SENDER, r, r - 1, 0.1 * r);
	for (uint32_t r = 0; r < 3; r++)
		add_blame(&m, WAIT_ALL, r, 3, 0.1 * (3 - r));
	CHECK(near(found(&m, "chain")->gain, 0.3));
	end(&m);
}

/* Who waits for cores does not know what of that goes away with the cause. */
TEST(diagnosis_gains_where_cores_are_short)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 400 });
	for (uint32_t r = 0; r < 4; r++) {
		m.run->ranks[r].cores.count = 3;
		m.run->ranks[r].cores.waited_ns = 44 * MS * 36 / 10;
		m.run->ranks[r].process_cpu_ns = 280 * MS;
	}
	for (uint32_t r = 0; r < 3; r++)
		add_blame(&m, WAIT_ALL, r, 3, 0.3);
	f = found(&m, "uneven-load");
	CHECK(near(f->gain, 0.8 * f->most));
	end(&m);
}

/* The same numbers under another name, by a factor. */
static void add_event(struct run *run, const char *name, double factor)
{
	struct run_metric *m;

	run->metrics = reallocarray(run->metrics, run->metric_count + 1,
				    sizeof(*run->metrics));
	m = &run->metrics[run->metric_count];
	*m = *run_metric(run, "cpu.time");
	run->metric_count++;
	strcpy(m->name, name);
	m->stats = calloc(FIXTURE_NODES, sizeof(*m->stats));
	for (uint32_t n = 0; n < FIXTURE_NODES; n++)
		m->stats[n].sum =
			factor * run_metric(run, "cpu.time")->stats[n].sum;
}

static void wait_for_a_core(struct made *m, double share)
{
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		m->run->ranks[r].cores.count = 3;
		m->run->ranks[r].cores.waited_ns =
			(uint64_t)(share * (double)m->run->ranks[r].elapsed_ns);
	}
}

static void add_part(struct run *run, uint32_t rank, uint32_t part, uint64_t ms)
{
	run->split.ranks[run->split.rank_count++] =
		(struct run_split_rank){ rank, part, ms * MS, ms * MS,
					 ms * MS };
}

/*
 * On crowded cores each rank is late now and then: one for whom the others
 * waited far longest is named, with what it had no core for.
 */
TEST(sentences_name_a_rank_that_is_late_most)
{
	static const double caused[] = { 0.1, 0.1, 0.1, 0.28 };
	struct report *report = report_new("x", "x");
	struct time_split split;
	struct made m;
	bool said = false;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	CHECK(!found(&m, NULL));
	m.run->split.ranks =
		calloc(2 * FIXTURE_RANKS, sizeof(*m.run->split.ranks));
	m.run->waits.ranks = calloc(FIXTURE_RANKS, sizeof(*m.run->waits.ranks));
	m.run->waits.rank_count = FIXTURE_RANKS;
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++) {
		add_part(m.run, r, SPLIT_WORK, 100);
		add_part(m.run, r, SPLIT_WAIT, 200);
		m.run->waits.ranks[r].caused_ns = caused[r] * 1e9;
	}
	m.run->ranks[3].mpi_time_ns = 100 * MS;
	CHECK(!time_split_init(&split, m.run));
	CHECK(!split_say_parts(report, &split, &m.blames, &m.d));
	for (size_t i = 0; i < report->line_count; i++)
		said |= strstr(report->lines[i],
			       "280 ms of it for rank 3, which was blocked or "
			       "without a core for ") != NULL;
	CHECK(said);
	time_split_fini(&split);
	report_free(report);
	end(&m);
}

/* Where cores were short the run is far longer than its work. */
TEST(diagnosis_saves_no_more_than_there_was)
{
	struct fact_source from = { .elapsed = 10 };

	CHECK(near(fact_saved(&from, 1, 2), 1));
	CHECK(near(fact_saved(&from, 30, 40), 7.5));
}

/* Without them no more is gained than the cores did there. */
TEST(diagnosis_polls_give_back_what_cores_did)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	m.run->nodes[FIXTURE_ALLREDUCE].function =
		str_add(&m.run->strings, "MPI_Testany");
	m.run->metrics[1].stats[FIXTURE_ALLREDUCE].sum = 1e5; /* calls */
	m.run->metrics[2].stats[FIXTURE_ALLREDUCE].sum = 1e9; /* their time */
	wait_for_a_core(&m, 0.5);
	for (uint32_t r = 0; r < FIXTURE_RANKS; r++)
		m.run->ranks[r].cores.count = 6;
	f = found(&m, "polling");
	CHECK(near(f->gain, 0.3 * (FIXTURE_RANKS - 1) / 6));
	end(&m);
}

/* The CPU time that is not the program's is not all in MPI. */
TEST(diagnosis_tells_waits_of_threads_from_mpi)
{
	/* More than three cores have in 0.44 s: the shares add up to 1. */
	double seconds = (FIXTURE_RANKS - 1) * 0.01 + FIXTURE_RANKS * 0.42;
	struct made m;

	make(&m, (unsigned[]){ 390, 390, 390, 390 });
	m.run->nodes[FIXTURE_FACT_1].kind = RUN_OPENMP;
	wait_for_a_core(&m, 0.5);
	CHECK(!found(&m, NULL));
	/* Rank 3 is not in MPI. */
	CHECK(near(m.d.mpi_share, (FIXTURE_RANKS - 1) * 0.01 / seconds));
	CHECK(near(m.d.threads_share, FIXTURE_RANKS * 0.03 / seconds));
	CHECK(near(m.d.program_share, FIXTURE_RANKS * 0.39 / seconds));
	end(&m);
}

static void add_omp(struct made *m, const char *name, enum unit unit,
		    double value)
{
	struct run_metric *to;

	add_event(m->run, name, 0);
	to = &m->run->metrics[m->run->metric_count - 1];
	to->unit = unit;
	to->stats[FIXTURE_WORK].sum = value;
}

/* work() is a region of two threads, which wait for such a share of it. */
static void add_region(struct made *m, double seconds, double waited)
{
	double time = 2 * FIXTURE_RANKS * seconds * 1e9;

	m->run->nodes[FIXTURE_WORK].kind = RUN_PARALLEL;
	add_omp(m, "omp.regions", UNIT_COUNT, 10);
	add_omp(m, "omp.members", UNIT_COUNT, 20);
	add_omp(m, "omp.time", UNIT_NS, time);
	add_omp(m, "omp.work", UNIT_NS, time * (1 - waited));
}

/* What is too little to be named where cores are short is not kept quiet. */
TEST(diagnosis_doubts_where_cores_are_short)
{
	struct made m;

	make(&m, (unsigned[]){ 390, 390, 390, 390 });
	add_region(&m, 0.4, 0.11);
	CHECK(near(found(&m, "uneven-threads")->gain, 0.044));
	CHECK(!m.d.doubtful.text);
	diagnosis_fini(&m.d);

	wait_for_a_core(&m, 0.4);
	CHECK(!found(&m, NULL));
	CHECK(strstr(m.d.doubtful.text, "waited 11 %"));
	CHECK(near(m.d.doubtful.gain, 0.044));
	end(&m);
}

/* Who lacks a core is late; so is now the one and now the other. */
TEST(diagnosis_threads_late_by_chance)
{
	double waited = 2 * FIXTURE_RANKS * 0.4e9 * 0.3;
	struct made m;

	make(&m, (unsigned[]){ 390, 390, 390, 390 });
	add_region(&m, 0.4, 0.3);
	add_omp(&m, "omp.late", UNIT_NS, waited);
	add_omp(&m, "omp.late.master", UNIT_NS, 0.1 * waited);
	wait_for_a_core(&m, 0.4);
	CHECK(strstr(found(&m, "uneven-threads")->text, "other threads"));
	diagnosis_fini(&m.d);

	m.run->metrics[m.run->metric_count - 1].stats[FIXTURE_WORK].sum *= 5;
	CHECK(!found(&m, NULL));
	CHECK(strstr(m.d.doubtful.text, "different threads"));
	end(&m);
}

/* The other threads have no work there either, but MPI is no serial part. */
TEST(regions_tell_mpi_outside_of_them)
{
	struct omp_regions all;
	struct made m;

	make(&m, (unsigned[]){ 100, 200, 300, 400 });
	add_region(&m, 0.1, 0);
	CHECK(!omp_regions_find(&all, &m.paths));
	CHECK(near(all.outside, FIXTURE_RANKS * (0.44 - 0.1)));
	CHECK(near(all.outside_mpi, 0.6));
	omp_regions_fini(&all);

	m.run->nodes[FIXTURE_NORM].kind = RUN_PARALLEL;
	CHECK(!omp_regions_find(&all, &m.paths));
	CHECK(all.outside_mpi, ==, 0);
	omp_regions_fini(&all);
	end(&m);
}

TEST(diagnosis_even_ranks_have_none)
{
	struct made m;

	make(&m, (unsigned[]){ 390, 390, 390, 390 });
	CHECK(!found(&m, NULL));
	end(&m);
}

TEST(diagnosis_memory_bound_by_counters)
{
	const struct diagnosis_finding *f;
	struct made m;

	make(&m, (unsigned[]){ 370, 370, 370, 370 });
	add_event(m.run, "papi.PAPI_TOT_CYC", 3);
	add_event(m.run, "papi.PAPI_TOT_INS", 1.5);
	f = found(&m, "memory-bound");
	CHECK(strstr(f->text, "work") && strstr(f->text, "0.5"));
	CHECK(near(f->gain, 0.5 * 0.37));
	end(&m);
}

/* A function is said with all its callers' time, so not as one path.  Rank 3
 * has nothing in MPI_Allreduce: 1.04 of 1.46 s. */
TEST(diagnosis_tells_callers_of_a_function)
{
	const struct diagnosis_finding *f;
	struct run_node *nodes;
	struct made m;

	make(&m, (unsigned[]){ 260, 260, 260, 260 });
	nodes = m.run->nodes;
	nodes[FIXTURE_ALLREDUCE] = nodes[FIXTURE_WORK];
	nodes[FIXTURE_ALLREDUCE].parent = FIXTURE_NORM;
	paths_fini(&m.paths);
	CHECK(!paths_init(&m.paths, m.run));
	add_event(m.run, "papi.PAPI_TOT_CYC", 3);
	add_event(m.run, "papi.PAPI_TOT_INS", 1.5);
	f = found(&m, "memory-bound");
	if (!strstr(f->text, "work (71 % of that from solve ← main)"))
		test_fail(__FILE__, __LINE__, f->text);
	end(&m);
}

/* A remark on time can wait until what costs most is mended, memory not. */
TEST(remarks_on_memory_are_not_put_off)
{
	struct fact_set time = { .name = "time" };
	struct fact_set memory = { .name = "memory", .no_time = true };
	char late[] = "late", slow[] = "slow", full[] = "full", much[] = "much";
	struct diagnosis_rule of_time = { .about = &time, .advice = much };
	struct diagnosis_rule of_memory = { .about = &memory, .advice = much };
	struct diagnosis_finding first = { .rule = &of_time,
					   .severity = SEVERITY_MEDIUM,
					   .text = late };
	struct diagnosis_finding remarks[] = {
		{ .rule = &of_time, .text = slow },
		{ .rule = &of_memory, .text = full },
	};
	struct diagnosis d = {
		.at = &first, .count = 1, .remarks = remarks, .remark_count = 2
	};
	struct report *report = report_new("x", "x");

	diagnosis_say_rest(report, &d);
	CHECK(report->line_count == 1);
	CHECK(strstr(report->lines[0], "full"));
	first.severity = SEVERITY_LOW;
	diagnosis_say_rest(report, &d);
	CHECK(report->line_count == 3);
	report_free(report);
}

/* A folder with one rule beside copse's own. */
static void write_rule(const char *folder, const char *about, const char *gain)
{
	char path[256];
	FILE *to;

	snprintf(path, sizeof(path), "%s/greedy.rule", folder);
	to = fopen(path, "w");
	CHECK(to != NULL);
	fprintf(to,
		"title greedy\nabout %s\nwhen 1 = 1\n%ssay {%s}\nadvice a\n"
		"source s\n\n",
		about, gain, "x");
	CHECK(!fclose(to));
}

static int ask_greedy(struct made *m, const char *about, const char *gain)
{
	char folder[] = "/tmp/copse-rules-XXXXXX", path[256];
	int err;

	CHECK(mkdtemp(folder) != NULL);
	write_rule(folder, about, gain);
	setenv("COPSE_RULES", folder, 1);
	err = diagnosis_init(&m->d, &m->paths, &m->blames,
			     run_metric(m->run, "cpu.time"), "greedy");
	snprintf(path, sizeof(path), "%s/greedy.rule", folder);
	unlink(path);
	rmdir(folder);
	return err;
}

/* Whatever a rule asks for: no more than the run, and than its cause, took. */
TEST(diagnosis_no_rule_gains_more_than_its_cause)
{
	static const char *const gains[] = { "gain 1000000\n",
					     "gain 1 / 0\n",
					     "gain 0 - 5\n",
					     "gain seconds * 1000\n",
					     "gain 1000000\ncause 1000000\n",
					     "gain 1000000\ncause 1 / 0\n",
					     "gain 1000000\ncause 0.02\n" };
	static const char *const sets[] = { "waits", "functions" };

	for (size_t s = 0; s < sizeof(sets) / sizeof(*sets); s++)
		for (size_t g = 0; g < sizeof(gains) / sizeof(*gains); g++) {
			struct made m;

			make(&m, (unsigned[]){ 100, 100, 100, 400 });
			for (uint32_t r = 0; r < 3; r++)
				add_blame(&m, WAIT_ALL, r, 3, 0.3);
			CHECK(!ask_greedy(&m, sets[s], gains[g]));
			for (size_t i = 0; i < m.d.count; i++) {
				CHECK(m.d.at[i].most <= m.d.elapsed);
				CHECK(m.d.at[i].gain <= m.d.at[i].most);
				CHECK(g == 4 ||
				      m.d.at[i].most <= m.d.at[i].cost);
				CHECK(g != 6 || m.d.at[i].most <= 0.02);
			}
			CHECK(g == 0 ? m.d.count > 0 : true);
			end(&m);
		}
}

/* A gain without a cause is none: the rule is refused. */
TEST(diagnosis_a_gain_has_a_cause)
{
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 400 });
	CHECK(ask_greedy(&m, "processes", "gain elapsed\n") != 0);
	end(&m);
}

/* Samples are too few for any rule, and for a remark. */
TEST(diagnosis_few_samples_say_nothing)
{
	static const char *const gains[] = { "gain seconds\n", "" };

	for (size_t g = 0; g < 2; g++) {
		struct run_metric *cpu;
		struct made m;

		make(&m, (unsigned[]){ 400, 400, 400, 400 });
		CHECK(!ask_greedy(&m, "functions", gains[g]));
		CHECK(m.d.count + m.d.remark_count, !=, 0);
		diagnosis_fini(&m.d);
		cpu = &m.run->metrics[0];
		for (uint32_t n = 0; n < FIXTURE_NODES; n++)
			cpu->stats[n].squares =
				cpu->stats[n].sum * cpu->stats[n].sum;
		CHECK(!ask_greedy(&m, "functions", gains[g]));
		CHECK(m.d.count + m.d.remark_count, ==, 0);
		end(&m);
	}
}

/* An import has most of the time, and no function has it. */
TEST(diagnosis_start_up_is_no_function)
{
	struct made m;

	make(&m, (unsigned[]){ 100, 100, 100, 100 });
	add_fact(&m, 290);
	CHECK(!ask_greedy(&m, "functions", ""));
	CHECK(m.d.remark_count, ==, 1);
	CHECK(m.d.remarks[0].cost > 0.38);
	diagnosis_fini(&m.d);

	m.run->nodes[FIXTURE_FACT_1].function =
		str_add(&m.run->strings, "[import]");
	CHECK(!ask_greedy(&m, "functions", ""));
	CHECK(m.d.remark_count, ==, 1);
	CHECK(m.d.remarks[0].cost < 0.41);
	CHECK(m.d.remarks[0].path, !=, m.paths.of[FIXTURE_FACT_1]);
	end(&m);
}

TEST(gpus_are_launch_bound_by_many_kernels)
{
	struct gpu_busy b = { .idle = 0.8, .work = 0.2, .launching = 0.7 };

	CHECK(gpu_busy_launch_bound(&b, 1000));
	CHECK(!gpu_busy_launch_bound(&b, 1));
	CHECK(!gpu_busy_launch_bound(&b, 4));
	b = (struct gpu_busy){ .idle = 0.18, .work = 0.82, .launching = 0.17 };
	CHECK(!gpu_busy_launch_bound(&b, 1000));
}

/* NCCL and XLA ask what they may; a copy or an allocation is wanted. */
TEST(gpus_calls_that_fail_on_purpose)
{
	CHECK(!gpu_call_lost_work("cuLibraryGetKernel", 500));
	CHECK(!gpu_call_lost_work("cuMemCreate", 801));
	CHECK(!gpu_call_lost_work("cudaDeviceEnablePeerAccess", 704));
	CHECK(!gpu_call_lost_work("cuPointerGetAttribute", 1));
	CHECK(gpu_call_lost_work("cudaMalloc", 2));
	CHECK(gpu_call_lost_work("cudaLaunchKernel", 9));
	CHECK(gpu_call_lost_work("cudaMemcpyAsync", 1));
	CHECK(gpu_call_lost_work("cudaEventQuery", 700));
}
