/* SPDX-License-Identifier: BSD-3-Clause */
/* conclude.c - merge, summarize and print in one go. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/analysis.h"
#include "analyse/idle-threads.h"
#include "base/err.h"
#include "run/run.h"
#include "symbol/symbol.h"
#include "format/format.h"
#include "tools/conclude.h"
#include "tools/out.h"
#include "tools/page.h"

/* This is the end of a run, not a study; and the job waits for us. */
#define ROWS          3  /* of each table */
#define FETCH_SECONDS 10 /* for debuginfod */

int conclude_print(const char *directory)
{
	const struct analysis *summary = analysis_find("summary");
	const struct format *text = format_find("text");
	const struct analysis_options options = { .limit = ROWS };
	struct run *runs[2] = { NULL, NULL };
	struct format_style page;
	struct report *report = NULL;
	struct run *run = NULL;
	int err = -ENOENT;

	if (!summary || !text)
		return fail(err, "built without a summary");
	if (symbol_options.fetch_seconds == UINT_MAX && !getenv("COPSE_FETCH"))
		symbol_options.fetch_seconds = FETCH_SECONDS;
	err = run_open(&run, directory, NULL);
	if (err)
		goto out;
	runs[0] = run;
	fail_step("analysing");
	err = idle_threads_leave_out(runs);
	if (!err)
		err = summary->run(&report, (const struct run *const *)runs,
				   &options);
	if (err)
		goto out;
	page_init(&page, stderr);
	err = text->write_report(out_below(stderr), report, &page);
	fflush(out_below(stderr));
out:
	report_free(report);
	run_free(run);
	return err;
}
