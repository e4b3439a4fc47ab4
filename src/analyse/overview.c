/* SPDX-License-Identifier: BSD-3-Clause */
/* overview.c - ask every analysis, keep what it has to say. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/overview.h"
#include "base/err.h"

/* The tree stands in the overview itself; these two compare runs. */
static bool is_overview_part(const struct analysis *a)
{
	static const char *const others[] = { "tree", "scaling", "diff" };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(a->name, others[i]))
			return false;
	return true;
}

/* What only says that there is nothing of its kind is left out. */
static bool is_worth(const struct report *report)
{
	return (report->table_count && report->tables[0].row_count) ||
	       !strcmp(report->id, "diagnose");
}

static int add_report(struct overview *o, struct report *report)
{
	struct report **at = reallocarray(o->reports, o->report_count + 1,
					  sizeof(struct report *));

	if (!at)
		return no_memory();
	o->reports = at;
	at[o->report_count++] = report;
	return 0;
}

/* One that has nothing to work on says so by failing. */
static bool is_lack(int err)
{
	return err == -EINVAL || err == -ENODATA;
}

static int ask_analysis(struct overview *o, const struct run *const runs[],
			const struct analysis *a, bool only,
			const struct analysis_options *options)
{
	struct analysis_options how = *options;
	struct report *report = NULL;
	int err;

	if (!(a->takes & ANALYSIS_METRIC))
		how.metric = NULL;
	if (!how.limit)
		how.limit = OVERVIEW_ROWS;
	err = a->run(&report, runs, &how);
	if (!err && (only || is_worth(report))) {
		err = add_report(o, report);
		if (!err)
			return 0;
	}
	report_free(report);
	return !only && is_lack(err) ? 0 : err;
}

int overview_init(struct overview *o, const struct run *const runs[],
		  const struct analysis *only,
		  const struct analysis_options *options)
{
	int err;

	*o = (struct overview){ .run = runs[0] };
	err = paths_init(&o->paths, runs[0]);
	if (err)
		return err;
	o->metric = analysis_metric(runs[0], options, NULL);
	if (only)
		err = ask_analysis(o, runs, only, true, options);
	for (size_t i = 0; !only && analyses[i] && !err; i++)
		if (is_overview_part(analyses[i]))
			err = ask_analysis(o, runs, analyses[i], false,
					   options);
	if (err)
		overview_fini(o);
	return err;
}

void overview_fini(struct overview *o)
{
	for (size_t i = 0; i < o->report_count; i++)
		report_free(o->reports[i]);
	free(o->reports);
	paths_fini(&o->paths);
	*o = (struct overview){ 0 };
}
