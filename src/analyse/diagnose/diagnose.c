/* SPDX-License-Identifier: BSD-3-Clause */
/* diagnose.c - what the rules find, as a table. */
#include <errno.h>
#include <stdlib.h>

#include "analyse/base/analysis.h"
#include "analyse/diagnose/diagnosis.h"
#include "analyse/split/cpu-contention.h"
#include "analyse/mpi/wait-causes.h"
#include "analyse/paths/paths.h"
#include "analyse/base/report.h"
#include "base/err.h"

static void finding_columns(struct report *report)
{
	report_table(report, "findings", "findings");
	report_column(report, "rule", "rule", COLUMN_TEXT);
	report_column(report, "severity", "severity", COLUMN_TEXT);
	report_column(report, "gain", "to gain", COLUMN_SECONDS);
	report_column(report, "gain_most", NULL, COLUMN_SECONDS);
	report_column(report, "gain_share", "of run", COLUMN_SHARE);
	report_column(report, "rank_seconds", "rank-seconds", COLUMN_SECONDS);
	report_column(report, "ranks", NULL, COLUMN_TEXT);
	report_column(report, "call_path", NULL, COLUMN_TEXT);
	report_column(report, "node", NULL, COLUMN_COUNT);
	report_column(report, "rows", NULL, COLUMN_TEXT);
	report_column(report, "text", NULL, COLUMN_TEXT);
	report_column(report, "advice", NULL, COLUMN_TEXT);
	report_column(report, "source", NULL, COLUMN_TEXT);
}

static void finding_row(struct report *report, const struct paths *paths,
			const struct diagnosis *d,
			const struct diagnosis_finding *f)
{
	char *path = f->path ? paths_text(paths, f->path) : NULL;

	report_text(report, f->rule->name);
	report_text(report, severity_names[f->severity]);
	report_number(report, f->gain);
	report_number(report, f->most);
	report_number(report, value_ratio(f->gain, d->elapsed));
	value_if_known(report, f->cost);
	report_text(report, f->ranks);
	report_text(report, path);
	report_count(report, paths->at[f->path].node);
	report_text(report, f->rows);
	report_text(report, f->text);
	report_text(report, f->rule->advice);
	report_text(report, f->rule->source);
	free(path);
}

static int fill_diagnose(struct report *report, const struct run *run,
			 const struct paths *paths,
			 const struct run_metric *metric,
			 const struct analysis_options *options)
{
	struct blames blames;
	struct diagnosis d;
	int err = wait_blames_init(&blames, paths);

	if (err)
		return err;
	err = diagnosis_init(&d, paths, &blames, metric, NULL);
	if (!err) {
		size_t limit = analysis_limit(options, d.count, d.count);

		contention_findings(report, run);
		diagnosis_say_cores(report, &d);
		diagnosis_say(report, &d, limit);
		if (!d.count && !d.doubtful.text)
			report_line(report, "No rule found anything that would "
					    "save 3 %% of the "
					    "run or more.");
		finding_columns(report);
		for (size_t i = 0; i < limit; i++)
			finding_row(report, paths, &d, &d.at[i]);
		diagnosis_fini(&d);
	}
	wait_blames_fini(&blames);
	return err;
}

static int run_diagnose(struct report **to, const struct run *const runs[],
			const struct analysis_options *options)
{
	const struct run_metric *metric;
	struct paths paths;
	int err = analysis_one_run(runs, "diagnose");

	if (err)
		return err;
	metric = analysis_metric(runs[0], options, NULL);
	if (!metric && options->metric)
		return -EINVAL;
	err = paths_init(&paths, runs[0]);
	if (err)
		return err;
	*to = analysis_report("diagnose", runs[0], NULL);
	err = *to ? fill_diagnose(*to, runs[0], &paths, metric, options)
		  : -ENOMEM;
	paths_fini(&paths);
	return err ? err : report_error(*to);
}

const struct analysis analysis_diagnose = {
	.name = "diagnose",
	.help = "what is worth mending, by rules: cause, gain and advice",
	.takes = ANALYSIS_METRIC | ANALYSIS_IDLE,
	.run = run_diagnose,
};
