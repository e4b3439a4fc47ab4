/* SPDX-License-Identifier: BSD-3-Clause */
/* conclude.c - merge, summarize and print in one go. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "analyse/analysis.h"
#include "base/err.h"
#include "merge/run.h"
#include "present/exporter.h"
#include "tools/conclude.h"

static struct exporter_style style_of_stderr(void)
{
	const char *no_colour = getenv("NO_COLOR");
	struct exporter_style style = { .width = 80 };
	struct winsize window;

	if (!isatty(STDERR_FILENO))
		return style;
	style.colour = !no_colour || !*no_colour;
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col)
		style.width = window.ws_col;
	return style;
}

int conclude_print(const char *directory)
{
	const struct analysis *summary = analysis_find("summary");
	const struct exporter *text = exporter_find("text");
	const struct analysis_options options = { .limit = 10, .prune = 0.01 };
	struct exporter_style style = style_of_stderr();
	const struct run *runs[2] = { NULL, NULL };
	struct report *report = NULL;
	struct run *run = NULL;
	int err = -ENOENT;

	if (!summary || !text)
		return fail(err, "built without a summary");
	err = run_open(&run, directory, NULL);
	if (err)
		goto out;
	runs[0] = run;
	err = summary->run(&report, runs, &options);
	if (err)
		goto out;
	err = text->write(stderr, report, &style);
out:
	report_free(report);
	run_free(run);
	return err;
}
