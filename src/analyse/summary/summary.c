/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.c - the first screen: what ran, how well, where the time went. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/account.h"
#include "analyse/base/analysis.h"
#include "analyse/base/confidence.h"
#include "analyse/diagnose/diagnosis.h"
#include "analyse/base/elapsed.h"
#include "analyse/base/measuring.h"
#include "analyse/ends/ends.h"
#include "analyse/gpu/gpu-findings.h"
#include "analyse/mpi/mpi-findings.h"
#include "analyse/ranks/memory-use.h"
#include "analyse/ranks/rank-findings.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/summary/summary-sentences.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "analyse/paths/groups.h"
#include "analyse/paths/path-findings.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/mpi/mpi-callsites.h"
#include "analyse/mpi/thread-factors.h"
#include "base/err.h"
#include "base/round.h"
#include "run/split.h"

#define ROWS        5
#define HOT_ROWS    6
#define HOT_LEAST   4
#define LINES       6 /* sentences that leave room for so many paths */
#define SITE_ROWS   2
#define BESIDE      4    /* names of other programs */
#define CROWDED     0.1  /* of the time: what waited for a core is said */
#define STRIP_LEAST 0.02 /* of all time: a row of a part */
#define SERIAL      0.1  /* of the time: what threads lost is worth a line */

/* What the run says of itself, summed over its processes. */
struct summary_facts {
	const struct run *run;
	struct efficiency e;
	struct complete paths;
	struct account account;
	double elapsed, cost, sampled, cpu; /* seconds */
	size_t threads, main_threads, most_threads, least_threads;
	uint32_t *main; /* processes that matter, indices into run->ranks */
	size_t main_count;
	uint64_t samples;
	const char *host;
	size_t hosts;
};

static void add_process_facts(struct summary_facts *f, const struct run_rank *r)
{
	f->sampled += (double)r->cpu_ns / 1e9;
	f->cost += measuring_cost(r);
	f->cpu += measuring_cpu(r);
	f->samples += r->samples;
	f->threads += r->threads;
}

static void add_main_threads(struct summary_facts *f, size_t threads)
{
	if (!f->main_threads || threads > f->most_threads)
		f->most_threads = threads;
	if (!f->main_threads || threads < f->least_threads)
		f->least_threads = threads;
	f->main_threads += threads;
}

static int gather_facts(struct summary_facts *f, const struct run *run)
{
	ssize_t hosts = processes_hosts(run, NULL, run->rank_count, NULL);
	int err;

	*f = (struct summary_facts){ .run = run, .account = account_of(run) };
	err = hosts < 0 ? (int)hosts : efficiency_of(&f->e, run);
	if (!err)
		err = elapsed_of(&f->elapsed, run);
	if (err)
		return err;
	f->main = processes_main(run, &f->main_count);
	if (!f->main)
		return -ENOMEM;
	f->hosts = (size_t)hosts;
	for (size_t i = 0; i < run->rank_count; i++)
		add_process_facts(f, &run->ranks[i]);
	for (size_t i = 0; i < f->main_count; i++)
		add_main_threads(f, run->ranks[f->main[i]].threads);
	if (run->rank_count)
		f->host = str_at(&run->strings, run->ranks[0].host);
	return coverage_of(&f->paths, run);
}

/* "4 ranks × 2 threads on node1 · 12.3 s elapsed · 48.1 s CPU time · …" */
static void say_head(struct report *report, const struct summary_facts *f)
{
	const struct run *run = f->run;
	const char *mpi = str_at(&run->strings, run->mpi_library);
	char ranks[32], threads[32], hosts[32], elapsed[32], cpu[32];
	bool same = f->most_threads == f->least_threads;

	processes_extent(ranks, run);
	phrase_plural(threads, same ? f->most_threads : f->main_threads,
		      "thread");
	if (f->hosts > 1)
		phrase_plural(hosts, f->hosts, "host");
	report_line(report, "%s %s %s on %s · %s elapsed · %s CPU time%s%.40s",
		    ranks, same ? "×" : "with", threads,
		    f->hosts > 1 ? hosts : f->host,
		    phrase_time(elapsed, f->elapsed),
		    phrase_time(cpu, f->account.counted + f->account.unseen),
		    *mpi ? " · " : "", mpi);
}

/* "ls, bash, …" of what is beside the processes that matter; to be freed. */
static char *beside_names(const struct summary_facts *f, size_t *count,
			  double *cpu)
{
	const char *names[BESIDE] = { NULL };
	size_t known = 0, next = 0, size, i;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);

	*count = 0;
	*cpu = 0;
	for (uint32_t p = 0; to && p < f->run->rank_count; p++) {
		const struct run_rank *r = &f->run->ranks[p];
		const char *role = str_at(&f->run->strings, r->role);
		const char *name =
			str_at(&f->run->strings, *role ? r->role : r->command);
		size_t length = *role ? strlen(role) : strcspn(name, " ");
		const char *base = name;

		if (next < f->main_count && f->main[next] == p) {
			next++;
			continue;
		}
		++*count;
		*cpu += (double)r->cpu_ns / 1e9;
		for (const char *c = name; c < name + length; c++)
			if (*c == '/')
				base = c + 1;
		length -= (size_t)(base - name);
		for (i = 0; i < known; i++)
			if (!strncmp(names[i], base, length) &&
			    (!names[i][length] || names[i][length] == ' '))
				break;
		if (i < known || known == BESIDE)
			continue;
		names[known++] = base;
		fprintf(to, "%s%.*s", i ? ", " : "", (int)length, base);
	}
	if (to)
		fclose(to);
	return text;
}

/* "Beside it 37 processes (ls, bash, date) with 80 ms of CPU time" */
static void say_beside(struct report *report, const struct summary_facts *f)
{
	char *names, number[32], time[32];
	size_t count;
	double cpu;

	names = beside_names(f, &count, &cpu);
	report->failed |= !names;
	if (names && count)
		report_line(report, "Beside %s %s (%s) with %s of CPU time",
			    f->main_count > 1 ? "them" : "it",
			    phrase_plural(number, count, "process"), names,
			    phrase_time(time, cpu));
	free(names);
}

static void put_word(FILE *to, const char *before, const char *text)
{
	if (*text)
		fprintf(to, "%s%s", before, text);
}

/* "Slurm job 12 solver, task 3, step 0, restart 1, on node[0-3]" */
static void say_batch(struct report *report, const struct batch *b)
{
	char *line = NULL;
	size_t size;
	FILE *to = *b->manager ? open_memstream(&line, &size) : NULL;

	if (!to)
		return;
	put_word(to, "", b->manager);
	put_word(to, " job ", *b->array ? b->array : b->job);
	put_word(to, " ", b->name);
	put_word(to, ", task ", b->task);
	put_word(to, ", step ", b->step);
	if (strcmp(b->restart, "0") != 0)
		put_word(to, ", restart ", b->restart);
	put_word(to, ", on ", b->nodes);
	if (!fclose(to))
		report_line(report, "%s", line);
	free(line);
}

static void say_efficiency(struct report *report, const struct summary_facts *f)
{
	const struct efficiency *e = &f->e;
	const char *cores = contention_share(f->run) >= CROWDED
				    ? ", waiting for a core included"
				    : "";
	struct thread_factors threads;

	if (!e->ranks)
		return;
	threads = thread_factors_of(f->run, e);
	efficiency_line(report, e, f->run);
	if (threads.threads > 0 && threads.all < 1 - SERIAL)
		thread_factors_line(report, &threads);
	if (e->ranks > 1)
		report_line(report,
			    "MPI %.1f %% of the time%s: least %.1f %% on rank "
			    "%llu, most %.1f %% on rank %llu",
			    100 * e->mpi_mean, cores, 100 * e->mpi_min,
			    (unsigned long long)processes_number(
				    f->run, e->mpi_min_rank),
			    100 * e->mpi_max,
			    (unsigned long long)processes_number(
				    f->run, e->mpi_max_rank));
	else
		report_line(report, "MPI %.1f %% of the time%s",
			    100 * e->mpi_mean, cores);
}

/* A column of csv and json alone: the sentences have it for readers. */
static void fact_column(struct report *report, const char *id,
			enum column_type type)
{
	report_column(report, id, NULL, type);
}

static void facts_columns(struct report *report)
{
	fact_column(report, "command", COLUMN_TEXT);
	fact_column(report, "ranks", COLUMN_COUNT);
	fact_column(report, "processes", COLUMN_COUNT);
	fact_column(report, "threads", COLUMN_COUNT);
	fact_column(report, "hosts", COLUMN_COUNT);
	fact_column(report, "elapsed", COLUMN_SECONDS);
	fact_column(report, "cpu", COLUMN_SECONDS);
	fact_column(report, "parallel_efficiency", COLUMN_SHARE);
	fact_column(report, "load_balance", COLUMN_SHARE);
	fact_column(report, "communication_efficiency", COLUMN_SHARE);
	fact_column(report, "mpi_share_min", COLUMN_SHARE);
	fact_column(report, "mpi_share_mean", COLUMN_SHARE);
	fact_column(report, "mpi_share_max", COLUMN_SHARE);
	fact_column(report, "samples", COLUMN_COUNT);
	fact_column(report, "ticks", COLUMN_COUNT);
	fact_column(report, "complete", COLUMN_SHARE);
	fact_column(report, "self_cost", COLUMN_SECONDS);
	fact_column(report, "self_share", COLUMN_SHARE);
	fact_column(report, "cpu_sampled", COLUMN_SECONDS);
	fact_column(report, "rate", COLUMN_NUMBER);
	fact_column(report, "rate_asked", COLUMN_COUNT);
	fact_column(report, "effective_samples", COLUMN_NUMBER);
	fact_column(report, "serialisation_efficiency", COLUMN_SHARE);
	fact_column(report, "transfer_efficiency", COLUMN_SHARE);
	fact_column(report, "idle_threads", COLUMN_SECONDS);
	fact_column(report, "core_wait", COLUMN_SHARE);
	fact_column(report, "openmp_efficiency", COLUMN_SHARE);
	fact_column(report, "efficiency", COLUMN_SHARE);
	fact_column(report, "cpu_start", COLUMN_SECONDS);
	fact_column(report, "processes_unsampled", COLUMN_COUNT);
	for (size_t i = 0; i < batch_count; i++)
		fact_column(report, batch_infos[i].column, COLUMN_TEXT);
}

static void facts_table(struct report *report, const struct summary_facts *f,
			const struct run_metric *metric)
{
	const struct efficiency *e = &f->e;
	const double shares[] = { e->parallel, e->balance,  e->communication,
				  e->mpi_min,  e->mpi_mean, e->mpi_max };

	report_table(report, "run", "run");
	facts_columns(report);
	report_text(report, str_at(&f->run->strings, f->run->command));
	report_count(report, f->run->world);
	report_count(report, f->run->rank_count);
	report_count(report, f->threads);
	report_count(report, f->hosts);
	report_number(report, f->elapsed);
	report_number(report, f->account.counted + f->account.unseen);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
		value_known(report, e->ranks ? shares[i] : NAN);
	report_count(report, f->samples);
	report_count(report, round_to_count(f->paths.ticks));
	report_number(report, value_ratio(f->paths.complete, f->paths.ticks));
	report_number(report, f->cost);
	report_number(report, value_ratio(f->cost, f->cpu));
	report_number(report, f->sampled);
	report_number(report, measuring_rate(f->run));
	report_count(report, f->run->rank_count ? f->run->ranks[0].freq : 0);
	report_number(report, metric ? confidence_samples(f->run, metric) : 0);
	value_known(report, e->ranks ? e->serialisation : NAN);
	value_known(report, e->ranks ? e->transfer : NAN);
	report_number(report, idle_threads_sum(metric));
	value_known(report, contention_share(f->run));
	value_known(report, e->ranks ? e->openmp : NAN);
	value_known(report, e->ranks ? e->all : NAN);
	value_known(report, f->account.whole ? f->account.start : NAN);
	if (f->account.whole)
		report_count(report, round_to_count(f->account.unsampled));
	else
		report_none(report);
	for (size_t i = 0; i < batch_count; i++)
		report_text(report,
			    batch_text(&f->run->batch, &batch_infos[i]));
}

/* One row: a quantity of each process, its extremes and its shape. */
static void summary_strip_row(struct report *report,
			      const struct summary_facts *f, const char *name,
			      const double *values)
{
	size_t count = f->main_count, least = 0, most = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		if (values[i] < values[least])
			least = i;
		if (values[i] > values[most])
			most = i;
	}
	report_text(report, name);
	report_number(report, values[least]);
	report_number(report, sum / (double)count);
	report_number(report, values[most]);
	report_count(report, processes_number(f->run, f->main[most]));
	report_spark(report, values, count);
}

static void strip_columns(struct report *report, bool mpi)
{
	report_table(report, "strip", mpi ? "per rank" : "per process");
	report_column(report, "quantity", "time", COLUMN_TEXT);
	report_column(report, "min", "least", COLUMN_SECONDS);
	report_column(report, "mean", "mean", COLUMN_SECONDS);
	report_column(report, "max", "most", COLUMN_SECONDS);
	report_column(report, "max_rank", mpi ? "on rank" : "in process",
		      COLUMN_COUNT);
	report_column(report, NULL, mpi ? "over ranks" : "over processes",
		      COLUMN_SPARK);
}

/* Work is one row here, whoever waited meanwhile. */
static void strip_part(struct report *report, const struct summary_facts *f,
		       const struct time_split *split, enum split_part part,
		       double *values)
{
	bool work = part == SPLIT_WORK;
	double sum = split->parts[part].seconds +
		     (work ? split->parts[SPLIT_ALONE].seconds : 0);

	if (part == SPLIT_ALONE || sum < STRIP_LEAST * split->whole)
		return;
	for (size_t i = 0; i < f->main_count; i++) {
		const double *parts = split->ranks[f->main[i]];

		values[i] = parts[part] + (work ? parts[SPLIT_ALONE] : 0);
	}
	summary_strip_row(report, f, split_names[part].title, values);
}

static int rank_strips(struct report *report, const struct summary_facts *f)
{
	double *values = calloc(f->main_count + 1, sizeof(*values));
	struct time_split split = { 0 };
	int err = values ? time_split_init(&split, f->run) : no_memory();

	if (!err && f->main_count > 1) {
		strip_columns(report, f->run->world);
		for (size_t p = 0; p < SPLIT_PARTS; p++)
			strip_part(report, f, &split, p, values);
		for (size_t i = 0; i < f->main_count; i++)
			values[i] =
				(double)f->run->ranks[f->main[i]].cpu_ns / 1e9;
		summary_strip_row(report, f, "CPU, all threads", values);
	}
	time_split_fini(&split);
	free(values);
	return err;
}

static void hotspot_row(struct report *report, const struct run *run,
			const struct run_metric *metric,
			const struct group *group, double total, double samples)
{
	double share = value_ratio(group->exclusive, total);
	struct confidence c = confidence_of(share, samples);
	const char *module = str_base(str_at(&run->strings, group->module));
	char *place = paths_place(run, group->file, group->line);

	if (!place && group->kind == RUN_MPI)
		module = "MPI";
	report_text(report, str_at(&run->strings, group->function));
	report_text(report, place ? place : module);
	value_cell(report, metric->unit, group->exclusive);
	report_number(report, share);
	confidence_cells(report, &c, samples);
	free(place);
}

/* For programs: readers see the paths that lead there. */
static int summary_hotspots(struct report *report, const struct run *run,
			    const struct run_metric *metric,
			    const struct analysis_options *options)
{
	struct groups groups;
	double samples = confidence_samples(run, metric);
	size_t limit;
	int err = groups_init(&groups, run, metric, false);

	if (err)
		return err;
	limit = analysis_limit(options, ROWS, groups.count);
	report_table(report, "hotspots", NULL);
	fact_column(report, "function", COLUMN_TEXT);
	fact_column(report, "place", COLUMN_LEFT_TEXT);
	value_column(report, "exclusive", NULL, metric);
	fact_column(report, "share", COLUMN_SHARE);
	fact_column(report, "share_low", COLUMN_SHARE);
	fact_column(report, "share_high", COLUMN_SHARE);
	for (size_t i = 0; i < limit && groups.at[i].exclusive > 0; i++)
		hotspot_row(report, run, metric, &groups.at[i], groups.total,
			    samples);
	groups_fini(&groups);
	return 0;
}

static void summary_site_row(struct report *report, const struct paths *paths,
			     const struct call_site *site, double elapsed)
{
	paths_cell(report, paths, site->path);
	value_cell(report, UNIT_COUNT, site->calls);
	value_cell(report, UNIT_NS, site->seconds);
	if (split_is_init(paths->run, paths->at[site->path].node))
		report_none(report);
	else
		report_number(report, value_ratio(site->seconds, elapsed));
	value_cell(report, UNIT_BYTES, callsite_mean_size(site));
}

/* Not the start of MPI, and not less than 1 % of the time of all ranks. */
static bool site_matters(const struct paths *paths,
			 const struct call_site *site, double elapsed)
{
	return !split_is_init(paths->run, paths->at[site->path].node) &&
	       site->seconds >= 0.01 * elapsed;
}

/* A limit that the user gave shows as many call sites, whatever they took. */
static void site_rows(struct report *report, const struct paths *paths,
		      const struct call_sites *sites, double elapsed,
		      const struct analysis_options *options)
{
	size_t left = analysis_limit(options, SITE_ROWS, sites->count);

	for (size_t i = 0; i < sites->count && left; i++) {
		const struct call_site *site = &sites->at[i];

		if (!options->limit && !site_matters(paths, site, elapsed))
			continue;
		summary_site_row(report, paths, site, elapsed);
		left--;
	}
}

static int summary_calls(struct report *report, const struct paths *paths,
			 const struct summary_facts *f,
			 const struct analysis_options *options)
{
	const struct run *run = paths->run;
	double elapsed = 0;
	struct call_sites sites;
	int err = callsites_init(&sites, paths, run_metric(run, "mpi.time"),
				 false);

	if (err || !sites.count)
		goto out;
	for (size_t i = 0; i < run->member_count; i++)
		elapsed += time_split_first(&f->run->ranks[i]);
	report_table(report, "mpi", "MPI calls");
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "calls", "calls", COLUMN_COUNT);
	report_column(report, "seconds", "time", COLUMN_SECONDS);
	report_column(report, "share", "of run", COLUMN_SHARE);
	report_column(report, "mean_size", "mean size", COLUMN_BYTES);
	site_rows(report, paths, &sites, elapsed, options);
out:
	if (!err)
		callsites_fini(&sites);
	return err;
}

/* What the time went into, and what rules know of it. */
static int summary_parts(struct report *report, const struct blames *blames,
			 const struct time_split *split,
			 const struct run_metric *metric)
{
	struct diagnosis d;
	int err = diagnosis_init(&d, blames->paths, blames, metric, NULL);

	if (err)
		return err;
	diagnosis_say_cores(report, &d);
	err = split_say_parts(report, split, blames, &d);
	diagnosis_fini(&d);
	return err;
}

/* With many sentences fewer, so that all fits a screen of 40 lines. */
static size_t hot_rows(const struct report *report)
{
	size_t over =
		report->line_count > LINES ? report->line_count - LINES : 0;

	return over >= (HOT_ROWS - HOT_LEAST) / 2 ? HOT_LEAST
						  : HOT_ROWS - 2 * over;
}

/* What ran, and what must be known before the rest is believed. */
static int begin_sentences(struct report *report, const struct paths *paths,
			   const struct summary_facts *f,
			   const struct time_split *split,
			   const struct run_metric *metric)
{
	const struct run *run = f->run;
	int err;

	if (run->rank_count)
		say_head(report, f);
	err = memory_findings(report, run);
	if (!err)
		err = ends_findings(report, paths);
	if (err)
		return err;
	say_beside(report, f);
	say_batch(report, &run->batch);
	say_efficiency(report, f);
	split_say_shares(report, split);
	jobs_findings(report, run);
	exit_status_findings(report, paths);
	measuring_few(report, run);
	account_warn(report, run, metric);
	measuring_rootless(report, run, &f->paths);
	return contention_findings(report, run);
}

static int summary_sentences(struct report *report, const struct blames *blames,
			     const struct summary_facts *f,
			     const struct run_metric *metric)
{
	const struct paths *paths = blames->paths;
	struct time_split split;
	int err = time_split_init(&split, f->run);

	if (!err)
		err = begin_sentences(report, paths, f, &split, metric);
	if (!err)
		err = summary_parts(report, blames, &split, metric);
	if (!err)
		err = process_groups_say(report, paths, metric);
	if (!err && !split_knows_waits(f->run))
		err = uneven_findings(report, paths, &f->e, metric);
	if (!err)
		err = findings_gpu(report, paths);
	time_split_fini(&split);
	return err;
}

static int summary_tables(struct report *report, const struct paths *paths,
			  const struct summary_facts *f,
			  const struct run_metric *metric,
			  const struct analysis_options *options)
{
	int err;

	facts_table(report, f, metric);
	err = rank_strips(report, f);
	if (!err && metric)
		err = hot_paths_table(report, paths, metric,
				      analysis_limit(options, hot_rows(report),
						     paths->count));
	if (!err && metric)
		err = summary_hotspots(report, f->run, metric, options);
	return err ? err : summary_calls(report, paths, f, options);
}

static int fill_summary(struct report *report, const struct run *const runs[],
			const struct run_metric *metric,
			const struct analysis_options *options)
{
	const struct run *run = runs[0];
	struct blames blames = { 0 };
	struct summary_facts f;
	struct paths paths;
	int err = paths_init(&paths, run);

	if (err)
		return err;
	err = gather_facts(&f, run);
	if (!err)
		err = wait_blames_init(&blames, &paths);
	if (!err)
		err = summary_sentences(report, &blames, &f, metric);
	if (!err)
		err = summary_tables(report, &paths, &f, metric, options);
	idle_threads_say(report, runs, metric ? metric->name : NULL);
	unnamed_say(report, run, metric);
	unnamed_say_lines(report, run, metric);
	measuring_losses(report, run);
	measuring_quality(report, run, metric, &f.paths);
	free(f.main);
	wait_blames_fini(&blames);
	paths_fini(&paths);
	return err;
}

static int run_summary(struct report **to, const struct run *const runs[],
		       const struct analysis_options *options)
{
	const struct run_metric *metric;
	int err = analysis_one_run(runs, "summary");

	if (err)
		return err;
	/* A run that was cut before its first sample has a summary too. */
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric && options->metric)
		return -EINVAL;
	*to = analysis_report("summary", runs[0], NULL);
	if (!*to)
		return -ENOMEM;
	err = fill_summary(*to, runs, metric, options);
	return err ? err : report_error(*to);
}

const struct analysis analysis_summary = {
	.name = "summary",
	.help = "the first screen: what ran, how well, where the time went",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE | ANALYSIS_COLLAPSE,
	.run = run_summary,
};
