/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scaling.c - runs with more ranks against the first of them: the factors by
 * which computation grew, and the call paths that cost more than they should.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/base/analysis.h"
#include "analyse/compare/path-union.h"
#include "analyse/counters/hardware-events.h"
#include "analyse/paths/idle-threads.h"
#include "analyse/mpi/efficiency.h"
#include "analyse/threads/thread-waits.h"
#include "analyse/paths/paths.h"
#include "base/err.h"
#include "base/comparison.h"

#define ROWS  10
#define SMALL 0.01 /* of the largest: not shown to readers */
#define ALIKE 0.15 /* work per rank that differs by less looks constant */

struct run_scale {
	size_t ranks;
	struct efficiency e;
	double useful;                    /* seconds, of all ranks */
	double instructions, cycles, cpu; /* outside MPI; NAN: not counted */
	double expects;                   /* times what the reference took */
};

struct scaling {
	const struct run *const *runs;
	const struct analysis_options *options;
	size_t count;
	struct run_scale *at;
	struct path_union paths;
	double *inclusive; /* of each run, its paths */
};

/* Without MPI all is useful, from start to end, but what OpenMP loses. */
static int scale_without_mpi(struct run_scale *s, const struct run *run)
{
	double *elapsed = calloc(run->member_count + 1, sizeof(*elapsed));
	struct mpi_time *none = calloc(run->member_count + 1, sizeof(*none));
	bool ok = elapsed && none;

	for (size_t i = 0; ok && i < run->member_count; i++)
		elapsed[i] = (double)run->ranks[i].elapsed_ns / 1e9;
	for (size_t i = 0; ok && i < run->member_count; i++)
		none[i].openmp =
			openmp_lost(&run->ranks[i], elapsed[i], elapsed[i]);
	if (ok)
		efficiency_from(&s->e, elapsed, none, run->member_count);
	free(elapsed);
	free(none);
	return ok ? 0 : no_memory();
}

/* NAN: no such metric. */
static double total_outside_mpi(const struct run *run,
				const struct run_metric *m)
{
	uint32_t end = 0;
	double sum = 0;

	if (!m)
		return NAN;
	for (uint32_t n = 0; n < run->node_count; n++) {
		if (n < end)
			continue;
		if (paths_is_waiting(&run->nodes[n]))
			end = run_subtree_end(run, n);
		else
			sum += value_node(m, n);
	}
	return sum;
}

static int scale_of_run(struct run_scale *s, const struct run *run)
{
	int err = efficiency_of(&s->e, run);

	if (!err && !s->e.ranks)
		err = scale_without_mpi(s, run);
	s->ranks = s->e.ranks;
	s->useful = s->e.useful_mean * (double)s->e.ranks;
	s->instructions = total_outside_mpi(run, hardware_instructions(run));
	s->cycles = total_outside_mpi(run, hardware_cycles(run));
	s->cpu = total_outside_mpi(run, run_metric(run, "cpu.time"));
	return err;
}

static const char *run_label(const struct scaling *s, size_t run)
{
	return s->options->names ? s->options->names[run] : NULL;
}

static void run_columns(struct report *report)
{
	report_table(report, "runs", "runs");
	report_column(report, "run", "run", COLUMN_LEFT_TEXT);
	report_column(report, "ranks", "ranks", COLUMN_COUNT);
	report_column(report, "elapsed", "time", COLUMN_SECONDS);
	report_column(report, "speedup", "speedup", COLUMN_NUMBER);
	report_column(report, "global_efficiency", "global", COLUMN_SHARE);
	report_column(report, "parallel_efficiency", "= parallel",
		      COLUMN_SHARE);
	report_column(report, "computation_scaling", "× computation",
		      COLUMN_SHARE);
	report_column(report, "load_balance", NULL, COLUMN_SHARE);
	report_column(report, "communication_efficiency", NULL, COLUMN_SHARE);
	report_column(report, "serialisation_efficiency", NULL, COLUMN_SHARE);
	report_column(report, "transfer_efficiency", NULL, COLUMN_SHARE);
	report_column(report, "useful", NULL, COLUMN_SECONDS);
	report_column(report, "lost", "lost, all ranks", COLUMN_SECONDS);
}

static double all_ranks(const struct run_scale *s)
{
	return s->e.elapsed * (double)s->ranks;
}

static void run_row(struct report *report, const struct scaling *s, size_t i)
{
	const struct run_scale *ref = &s->at[0], *is = &s->at[i];
	double computation = ref->useful * is->expects / is->useful;

	report_text(report, run_label(s, i));
	report_count(report, is->ranks);
	report_number(report, is->e.elapsed);
	value_known(report, ref->e.elapsed / is->e.elapsed);
	value_known(report, is->e.parallel * computation);
	value_known(report, is->e.parallel);
	value_known(report, computation);
	value_known(report, is->e.balance);
	value_known(report, is->e.communication);
	value_known(report, is->e.serialisation);
	value_known(report, is->e.transfer);
	report_number(report, is->useful);
	report_number(report, all_ranks(is) - is->expects * all_ranks(ref));
}

/* The factors of computation scaling, where events were counted. */
static void counter_table(struct report *report, const struct scaling *s)
{
	const struct run_scale *ref = &s->at[0];
	bool known = false;

	for (size_t i = 0; i < s->count; i++)
		known |= !isnan(s->at[i].instructions) ||
			 !isnan(s->at[i].cycles);
	report_table(report, "counters", "counters, outside MPI");
	report_column(report, "run", known ? "run" : NULL, COLUMN_LEFT_TEXT);
	report_column(report, "ranks", known ? "ranks" : NULL, COLUMN_COUNT);
	report_column(report, "ipc", known ? "IPC" : NULL, COLUMN_NUMBER);
	report_column(report, "ghz", known ? "GHz" : NULL, COLUMN_NUMBER);
	report_column(report, "instruction_scaling",
		      known ? "instructions" : NULL, COLUMN_SHARE);
	report_column(report, "ipc_scaling", known ? "IPC scaling" : NULL,
		      COLUMN_SHARE);
	report_column(report, "frequency_scaling", known ? "frequency" : NULL,
		      COLUMN_SHARE);
	for (size_t i = 0; i < s->count; i++) {
		const struct run_scale *is = &s->at[i];
		double ipc = is->instructions / is->cycles;
		double hertz = is->cycles / is->cpu;

		report_text(report, run_label(s, i));
		report_count(report, is->ranks);
		value_known(report, ipc);
		value_known(report, hertz / 1e9);
		value_known(report,
			    ref->instructions * is->expects / is->instructions);
		value_known(report, ipc / (ref->instructions / ref->cycles));
		value_known(report, hertz / (ref->cycles / ref->cpu));
	}
}

/* Where the time went: one run against the reference */

static double path_took(const struct scaling *s, uint32_t path, size_t run)
{
	return s->inclusive[run * s->paths.count + path];
}

struct lost {
	uint32_t path;
	double seconds;
	bool explained; /* by what it calls */
};

static double seconds_lost_in_path(const struct scaling *s, uint32_t path,
				   size_t run)
{
	return path_took(s, path, run) -
	       s->at[run].expects * path_took(s, path, 0);
}

ORDER_BY(by_scaling_loss, struct lost, DESC(seconds) ?: ASC(path))

/* Sorted, but at[0]: the root is no path. */
static int find_lost(const struct scaling *s, size_t run, struct lost *at)
{
	size_t count = s->paths.count;
	double *lost = calloc(count + 1, sizeof(*lost));
	bool *explained;

	if (!lost)
		return no_memory();
	for (uint32_t p = 0; p < count; p++)
		lost[p] = seconds_lost_in_path(s, p, run);
	explained = path_union_explained(&s->paths, lost);
	for (uint32_t p = 0; p < count && explained; p++)
		at[p] = (struct lost){ p, lost[p], explained[p] };
	if (count > 1 && explained)
		qsort(at + 1, count - 1, sizeof(*at), by_scaling_loss);
	free(lost);
	free(explained);
	return explained ? 0 : -ENOMEM;
}

/* Readers of one comparison know which run it is. */
static void lost_columns(struct report *report, bool many)
{
	report_table(report, "lost",
		     "lost: call paths, with what they call, over all ranks");
	report_column(report, "run", many ? "run" : NULL, COLUMN_LEFT_TEXT);
	report_column(report, "ranks", many ? "ranks" : NULL, COLUMN_COUNT);
	report_column(report, "call_path", "call path", COLUMN_TEXT);
	report_column(report, "kind", "kind", COLUMN_TEXT);
	report_column(report, "expected", "expected", COLUMN_SECONDS);
	report_column(report, "seconds", "took", COLUMN_SECONDS);
	report_column(report, "lost", "lost", COLUMN_SECONDS);
	report_column(report, "share", "of its time", COLUMN_SHARE);
}

static void lost_row(struct report *report, const struct scaling *s, size_t run,
		     const struct lost *lost)
{
	char *text = path_union_text(&s->paths, lost->path);

	report_text(report, run_label(s, run));
	report_count(report, s->at[run].ranks);
	report_text(report, text);
	report->failed |= !text;
	report_text(report, s->paths.at[lost->path].mpi ? "MPI" : "compute");
	report_number(report, s->at[run].expects * path_took(s, lost->path, 0));
	report_number(report, path_took(s, lost->path, run));
	report_number(report, lost->seconds);
	report_number(report, value_ratio(lost->seconds, path_took(s, 0, run)));
	free(text);
}

static int lost_rows(struct report *report, const struct scaling *s, size_t run,
		     struct lost *at)
{
	bool all = s->options->limit == SIZE_MAX;
	size_t limit = analysis_limit(s->options, ROWS, s->paths.count);
	size_t rows = 0;
	int err = find_lost(s, run, at);

	if (err)
		return err;
	for (size_t i = 1; i < s->paths.count && rows < limit; i++) {
		if (!all && (at[i].explained || at[i].seconds <= 0 ||
			     at[i].seconds < SMALL * at[1].seconds))
			continue;
		lost_row(report, s, run, &at[i]);
		rows++;
	}
	return 0;
}

static int lost_table(struct report *report, const struct scaling *s)
{
	struct lost *at = calloc(s->paths.count + 1, sizeof(*at));
	int err = 0;

	if (!at)
		return no_memory();
	lost_columns(report, s->count > 2);
	for (size_t run = 1; run < s->count && !err; run++)
		err = lost_rows(report, s, run, at);
	free(at);
	return err;
}

/* More ranks, and each has as much to do as before? */
static bool looks_weak(const struct scaling *s)
{
	double mean = s->at[0].e.useful_mean;

	for (size_t i = 1; i < s->count; i++)
		if (s->at[i].ranks == s->at[0].ranks ||
		    fabs(s->at[i].e.useful_mean - mean) > ALIKE * mean)
			return false;
	return mean > 0;
}

static void say_scaling(struct report *report, const struct scaling *s,
			const char *metric)
{
	if (s->options->weak)
		report_line(report,
			    "Weak scaling: the work is taken to grow with the "
			    "ranks; the first run is the reference.");
	else
		report_line(report,
			    "Strong scaling: the work is taken to be the same; "
			    "the first run is the reference.");
	if (!s->options->weak && looks_weak(s))
		report_line(report,
			    "! Each rank computes as long as in the reference: "
			    "if the work grew with the ranks, add --weak.");
	report_note(report,
		    "Call paths are compared by %s%s. They match by the names "
		    "of their functions.",
		    metric,
		    s->options->metric ? "" : ", in MPI calls by mpi.time");
}

/* What each path took; MPI calls take mpi.time unless a metric was named. */
static int sum_up_scaling(struct scaling *s, const char *metric)
{
	int err = path_union_init(&s->paths, s->runs, 0);

	if (err)
		return err;
	s->inclusive =
		calloc(s->count * s->paths.count + 1, sizeof(*s->inclusive));
	if (!s->inclusive)
		return no_memory();
	for (size_t i = 0; i < s->count; i++) {
		double *of = s->inclusive + i * s->paths.count;

		path_union_values(&s->paths, i, s->runs[i], metric,
				  s->options->metric ? NULL : "mpi.time", of);
		path_union_add_up(&s->paths, of);
	}
	return 0;
}

static int gather_scales(struct scaling *s, const char *metric)
{
	int err = 0;

	s->at = calloc(s->count + 1, sizeof(*s->at));
	if (!s->at)
		return no_memory();
	for (size_t i = 0; i < s->count && !err; i++) {
		err = scale_of_run(&s->at[i], s->runs[i]);
		s->at[i].expects = s->options->weak
					   ? value_ratio((double)s->at[i].ranks,
							 (double)s->at[0].ranks)
					   : 1;
	}
	return err ? err : sum_up_scaling(s, metric);
}

static struct report *new_scaling_report(const struct scaling *s)
{
	const struct run *run = s->runs[0];
	char *title = NULL;
	struct report *report = NULL;
	size_t size;
	FILE *to = open_memstream(&title, &size);

	if (to) {
		fprintf(to, "scaling · %s · ",
			str_at(&run->strings, run->command));
		for (size_t i = 0; i < s->count; i++)
			fprintf(to, "%s%zu", i ? ", " : "", s->at[i].ranks);
		fprintf(to, " %s", run->world ? "ranks" : "processes");
		fclose(to);
		report = report_new("scaling", title);
	}
	free(title);
	if (!report)
		no_memory();
	return report;
}

/* "lmp" of "/usr/bin/lmp -in in.melt": where it is may differ, and its words.
 */
static char *program_of(const struct run *run)
{
	const char *command = str_at(&run->strings, run->command);
	char *first = strndup(command, strcspn(command, " "));
	char *program = first ? strdup(str_base(first)) : NULL;

	free(first);
	return program;
}

/* NPB's lu.A.4 and lu.A.16 are one program, built for so many ranks. */
static bool names_differ(const char *a, const char *b)
{
	static const char digits[] = "0123456789";

	for (; *a || *b; a++, b++) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return true;
		if (!*a)
			break;
	}
	return false;
}

/* What is compared then says little: scaling is of one program. */
static void say_programs(struct report *report, const struct scaling *s)
{
	char *reference = program_of(s->runs[0]);

	for (size_t i = 1; i < s->count; i++) {
		char *other = program_of(s->runs[i]);
		bool two = other && reference && names_differ(other, reference);

		report->failed |= !other || !reference;
		if (two)
			report_line(report,
				    "! %s and %s are not the same program.",
				    reference, other);
		free(other);
		if (two)
			break;
	}
	free(reference);
}

static int fill_scaling(struct report *report, const struct scaling *s,
			const char *metric)
{
	int err;

	say_programs(report, s);
	say_scaling(report, s, metric);
	run_columns(report);
	for (size_t i = 0; i < s->count; i++)
		run_row(report, s, i);
	err = lost_table(report, s);
	counter_table(report, s);
	idle_threads_say(report, s->runs, metric);
	return err ? err : report_error(report);
}

/* The metric of the first run, which all must have, in time. */
static const char *common_metric(const struct scaling *s)
{
	const struct run_metric *m =
		analysis_metric(s->runs[0], s->options, NULL);

	if (m && m->unit != UNIT_NS) {
		fail(-EINVAL, "scaling compares times, and %s is none",
		     m->name);
		return NULL;
	}
	for (size_t i = 1; i < s->count && m; i++)
		if (!analysis_metric(s->runs[i], s->options, m->name))
			return NULL;
	return m ? m->name : NULL;
}

static int run_scaling(struct report **to, const struct run *const runs[],
		       const struct analysis_options *options)
{
	struct scaling s = { .runs = runs, .options = options };
	const char *metric;
	int err;

	while (runs[s.count])
		s.count++;
	if (s.count < 2)
		return fail(-EINVAL,
			    "scaling takes two profiles or more; the first is "
			    "the reference");
	metric = common_metric(&s);
	if (!metric)
		return -EINVAL;
	err = gather_scales(&s, metric);
	if (!err) {
		*to = new_scaling_report(&s);
		err = *to ? fill_scaling(*to, &s, metric) : -ENOMEM;
	}
	path_union_fini(&s.paths);
	free(s.inclusive);
	free(s.at);
	return err;
}

const struct analysis analysis_scaling = {
	.name = "scaling",
	.help = "two runs or more against the first: what was lost, and where",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE | ANALYSIS_WEAK,
	.run = run_scaling,
};
