/* SPDX-License-Identifier: BSD-3-Clause */
/* conclude.c - merge, summarize and print in one go. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyse/base/analysis.h"
#include "analyse/paths/idle-threads.h"
#include "base/err.h"
#include "base/regular.h"
#include "merge/merge.h"
#include "symbol/symbol.h"
#include "format/format.h"
#include "tools/run-end.h"
#include "tools/out.h"
#include "tools/progress.h"

/* This is the end of a run, not a study; and the job waits for us. */
#define ROWS          3  /* of each table */
#define FETCH_SECONDS 10 /* for debuginfod */

/* As another file first: nobody reads half a page. */
static int write_page(FILE *to, const struct run *const runs[])
{
	const struct format *html = format_find("html");
	const struct analysis_options options = { 0 };
	const struct overview_choice choice = { 0 };
	struct overview overview;
	int err = overview_init(&overview, runs, &choice, &options);

	if (err)
		return err;
	err = html->write_overview(to, &overview);
	overview_fini(&overview);
	if (!err && (fflush(to) || ferror(to)))
		err = fail(-EIO, "cannot write it: %s", strerror(errno));
	return err;
}

static int make_page(const char *directory, const struct run *const runs[])
{
	static const char part[] = "." CONCLUDE_PAGE;
	int dir = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = dir < 0 ? -errno : regular_create(dir, part);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (to)
		err = write_page(to, runs);
	else
		err = fail(fd < 0 ? fd : -errno, "cannot write to %s: %s",
			   directory, strerror(fd < 0 ? -fd : errno));
	if (to)
		fclose(to);
	if (to && err)
		unlinkat(dir, part, 0);
	if (!err && renameat(dir, part, dir, CONCLUDE_PAGE))
		err = fail(-errno, "cannot write to %s: %s", directory,
			   strerror(errno));
	if (dir >= 0)
		close(dir);
	return err;
}

/* What was printed stands; a page is a courtesy. */
static void try_page(const char *directory, const struct run *const runs[])
{
	fail_step("writing the page");
	if (overview_is_quick(runs[0]) && make_page(directory, runs))
		fprintf(stderr,
			"copse run: there is no page for a browser: "
			"%s\n",
			fail_reason());
}

int conclude_print(const char *directory, int program, bool page)
{
	const struct analysis *summary = analysis_find("summary");
	const struct format *text = format_find("text");
	const struct analysis_options options = { .limit = ROWS };
	struct run *runs[2] = { NULL, NULL };
	struct format_style style;
	struct merge_progress progress;
	struct report *report = NULL;
	struct run *run = NULL;
	struct progress bar;
	int err = -ENOENT;

	if (!summary || !text)
		return fail(err, "built without a summary");
	if (symbol_options.fetch_seconds == UINT_MAX && !getenv("COPSE_FETCH"))
		symbol_options.fetch_seconds = FETCH_SECONDS;
	symbol_options.program = program;
	progress = progress_start(&bar, "copse run");
	err = merge_open(&run, directory, &progress);
	progress_end(&bar);
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
	page_init(&style, stderr);
	err = text->write_report(out_below(stderr), report, &style);
	fflush(out_below(stderr));
	if (!err && page)
		try_page(directory, (const struct run *const *)runs);
out:
	report_free(report);
	run_free(run);
	return err;
}
