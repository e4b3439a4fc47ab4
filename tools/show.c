/* SPDX-License-Identifier: BSD-3-Clause */
/* show.c - open profiles by their names, write a report in a format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyse/paths/idle-threads.h"
#include "base/err.h"
#include "base/numbered.h"
#include "base/spelling.h"
#include "launch/live-run.h"
#include "live/layout.h"
#include "merge/merge.h"
#include "run/run-build.h"
#include "tools/command.h"
#include "tools/host-look.h"
#include "tools/out.h"
#include "tools/pick.h"
#include "tools/show.h"
#include "tools/progress.h"

int show_set_width(void *to, const char *text)
{
	unsigned int width;
	int err = parse_count(&width, text);

	if (!err && width < PAGE_LEAST)
		err = fail(-EINVAL, "--width wants %d columns or more, not %u",
			   PAGE_LEAST, width);
	if (!err)
		*(unsigned int *)to = width;
	return err;
}

static bool may_write(const struct show *show, const struct format *format)
{
	if (show->checks)
		return format->tables;
	return format->write_overview ||
	       (format->write_report && !format->checks);
}

static void no_format(const struct show *show, const char *format)
{
	const struct format *other = format_find(format);
	char known[256] = "";
	struct spelling near;
	size_t used = 0;

	spelling_begin(&near, format);
	for (size_t i = 0; formats[i]; i++)
		if (may_write(show, formats[i]))
			spelling_try(&near, formats[i]->name);
	for (size_t i = 0; formats[i] && used < sizeof(known); i++)
		if (may_write(show, formats[i]))
			used += (size_t)snprintf(
				known + used, sizeof(known) - used, "%s%s",
				used ? ", " : "", formats[i]->name);
	if (other)
		fail(-EINVAL, "%s is a format of copse %s; here: %s", format,
		     other->write_run ? "export"
		     : show->checks   ? "report"
				      : "gate",
		     known);
	else
		fail(-EINVAL, "no format '%s'%s known are: %s", format,
		     spelling_hint(&near), known);
}

/* Number i of the formats that are for reports, or for tables. */
static const char *format_at(size_t i, bool tables, const char **help)
{
	for (size_t at = 0; formats[at]; at++) {
		const struct format *e = formats[at];

		const struct show show = { .checks = tables };

		if (!may_write(&show, e) || i--)
			continue;
		*help = e->help;
		return e->name;
	}
	return NULL;
}

const char *show_format(size_t i, const char **help)
{
	return format_at(i, false, help);
}

const char *show_table_format(size_t i, const char **help)
{
	return format_at(i, true, help);
}

const char *show_metric(size_t i, const char **help)
{
	*help = i < METRIC_COUNT ? metric_infos[i].help : NULL;
	return i < METRIC_COUNT ? metric_infos[i].name : NULL;
}

const struct format *show_chosen(const struct show *show)
{
	const char *name = show->format ? show->format : formats[0]->name;
	const struct format *format = format_find(name);

	if (!format || !may_write(show, format)) {
		no_format(show, name);
		return NULL;
	}
	if (show->table && strcmp(format->name, "csv") != 0) {
		fail(-EINVAL, "--table is for csv: add -f csv");
		return NULL;
	}
	return format;
}

static int set_style(struct format_style *style, const struct show *show,
		     FILE *to)
{
	const char *colour = show->colour ? show->colour : "auto";

	page_init(style, to);
	style->table = show->table;
	if (show->width) {
		style->width = show->width;
		style->names = 0;
	}
	if (!strcmp(colour, "always"))
		style->colour = true;
	else if (!strcmp(colour, "never"))
		style->colour = false;
	else if (strcmp(colour, "auto") != 0)
		return fail(-EINVAL,
			    "color wants auto, always or never, not '%s'",
			    colour);
	return 0;
}

static int write_to(FILE *to, const struct show *show,
		    const struct format *format, const void *what)
{
	struct format_style style;
	int err = set_style(&style, show, to);

	if (!err)
		err = format->write_overview
			      ? format->write_overview(to, what)
			      : format->write_report(to, what, &style);
	if (!err && (fflush(to) || ferror(to)))
		err = fail(-EIO, "cannot write %s: %s",
			   show->output ? show->output : "the report",
			   strerror(errno));
	return err;
}

/* `what` is a report, or the overview of a format that writes one. */
static int show_what(const struct show *show, const struct format *format,
		     const void *what)
{
	FILE *to;
	int err;

	fail_step("writing the report");
	to = show->output           ? fopen(show->output, "w")
	     : format == formats[0] ? out_below(stdout)
				    : out_data();
	if (!to)
		return fail(-errno, "cannot write %s: %s", show->output,
			    strerror(errno));
	err = write_to(to, show, format, what);
	if (show->output && fclose(to) && !err)
		err = fail(-EIO, "cannot write %s: %s", show->output,
			   strerror(errno));
	return err;
}

int show_report(const struct show *show, const struct format *format,
		const struct report *report)
{
	if (!format->tables && report->table_count)
		return fail(-EINVAL,
			    "%s needs a call tree: copse report tree -f %s",
			    format->name, format->name);
	return show_what(show, format, report);
}

int show_overview(const struct show *show, const struct format *format,
		  const struct overview *overview)
{
	return show_what(show, format, overview);
}

void show_sources(const char *command, const struct overview *overview)
{
	const struct source_lines *s = &overview->sources;

	for (size_t i = 0; i < s->count; i++) {
		const struct source_file *f = &s->files[i];

		if (f->refused)
			fprintf(stderr, "copse %s: %s stays out: %s\n", command,
				str_at(&overview->run->strings, f->name),
				f->refused);
		else if (isatty(STDERR_FILENO))
			fprintf(stderr, "copse %s: with lines of %s\n", command,
				f->path);
	}
}

static int name_runs(struct shown_runs *runs, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], "vs") != 0) {
			runs->names[runs->count++] = words[i];
			continue;
		}
		if (runs->base || !runs->count || i + 1 == count)
			return fail(-EINVAL, "'vs' comes once, between the "
					     "profiles of two sides");
		runs->base = runs->count;
	}
	return 0;
}

/* The newest of a name that stands alone; of several each as it is. */
static int pick_names(struct shown_runs *runs, const char *command)
{
	bool alone = runs->count == 1;

	for (size_t i = 0; i < runs->count; i++) {
		runs->picked[i] = alone ? pick_run(runs->names[i], command)
					: pick_exactly(runs->names[i]);
		if (!runs->picked[i])
			return -ENOENT;
		runs->names[i] = runs->picked[i];
	}
	return 0;
}

/*
 * Of a run that goes on, and of which no process has ended: what those on this
 * host did until now.
 */
static int open_so_far(struct run **to, struct live_run *live, const char *name)
{
	int err = host_run(to, live, false);

	return err ? err
		   : run_problem(*to, name,
				 "goes on: this is what its processes on this "
				 "host have done so far");
}

static int open_merged_run(struct run **to, const char *name)
{
	struct progress bar;
	struct merge_progress progress = progress_start(&bar, NULL);
	int err = merge_open(to, name, &progress);

	progress_end(&bar);
	return err;
}

static int open_shown_run(struct run **to, const char *name)
{
	struct live_run live;
	struct stat st;
	int err;

	if (stat(name, &st) || !S_ISDIR(st.st_mode) ||
	    numbered_has_profile(name) || live_run_find(&live, name))
		return open_merged_run(to, name);
	err = open_so_far(to, &live, name);
	live_run_fini(&live);
	return err;
}

int shown_runs_open(struct shown_runs *runs, const char *command,
		    char *const *words, size_t count)
{
	int err;

	*runs = (struct shown_runs){
		.at = calloc(count + 1, sizeof(*runs->at)),
		.names = calloc(count + 1, sizeof(*runs->names)),
		.picked = calloc(count + 1, sizeof(*runs->picked)),
	};
	if (!runs->at || !runs->names || !runs->picked)
		return no_memory();
	err = name_runs(runs, words, count);
	if (!err)
		err = pick_names(runs, command);
	for (size_t i = 0; i < runs->count && !err; i++) {
		err = open_shown_run(&runs->at[i], runs->names[i]);
		/* A profile that cannot be read is no bad usage. */
		if (err == -EINVAL)
			err = -EIO;
	}
	return err;
}

int shown_runs_idle(const struct show *show, const struct shown_runs *runs)
{
	const char *how = show->idle_threads ? show->idle_threads : "off";

	if (!strcmp(how, "on"))
		return 0;
	if (strcmp(how, "off") != 0)
		return fail(-EINVAL, "idle-threads wants on or off, not '%s'",
			    how);
	return idle_threads_leave_out(runs->at);
}

void shown_runs_close(struct shown_runs *runs)
{
	for (size_t i = 0; runs->at && i < runs->count; i++)
		run_free(runs->at[i]);
	for (size_t i = 0; runs->picked && i < runs->count; i++)
		free(runs->picked[i]);
	free(runs->at);
	free(runs->names);
	free(runs->picked);
	*runs = (struct shown_runs){ 0 };
}
