/* SPDX-License-Identifier: BSD-3-Clause */
/* show.c - open profiles by their names, write a report in a format. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/idle-threads.h"
#include "base/err.h"
#include "tools/command.h"
#include "tools/page.h"
#include "tools/show.h"

int show_set_width(void *to, const char *text)
{
	unsigned int width;
	int err = set_count(&width, text);

	if (!err && width < PAGE_LEAST)
		err = fail(-EINVAL, "--width wants %d columns or more, not %u",
			   PAGE_LEAST, width);
	if (!err)
		*(unsigned int *)to = width;
	return err;
}

const struct exporter *show_exporter(const struct show *show)
{
	const char *format = show->format ? show->format : exporters[0]->name;
	const struct exporter *exporter = exporter_find(format);
	char known[256] = "";
	size_t used = 0;

	if (exporter && show->table && strcmp(exporter->name, "csv") != 0) {
		fail(-EINVAL, "--table is for csv: add -f csv");
		return NULL;
	}
	if (exporter)
		return exporter;
	for (size_t i = 0; exporters[i] && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s",
					 !i                 ? ""
					 : exporters[i + 1] ? ", "
							    : " and ",
					 exporters[i]->name);
	fail(-EINVAL, "no format '%s'; %s are known", format, known);
	return NULL;
}

static int set_style(struct exporter_style *style, const struct show *show,
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
		    const struct exporter *exporter,
		    const struct report *report)
{
	struct exporter_style style;
	int err = set_style(&style, show, to);

	if (!err)
		err = exporter->write(to, report, &style);
	if (!err && (fflush(to) || ferror(to)))
		err = fail(-EIO, "cannot write %s: %s",
			   show->output ? show->output : "the report",
			   strerror(errno));
	return err;
}

int show_report(const struct show *show, const struct exporter *exporter,
		const struct report *report)
{
	FILE *to;
	int err;

	if (!exporter->tables && report->table_count)
		return fail(-EINVAL,
			    "%s needs a call tree: copse report tree -f %s",
			    exporter->name, exporter->name);
	to = show->output ? fopen(show->output, "w") : stdout;
	if (!to)
		return fail(-errno, "cannot write %s: %s", show->output,
			    strerror(errno));
	err = write_to(to, show, exporter, report);
	if (show->output && fclose(to) && !err)
		err = fail(-EIO, "cannot write %s: %s", show->output,
			   strerror(errno));
	return err;
}

static int name_runs(struct shown_runs *runs, char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], "vs") != 0) {
			runs->names[runs->count++] = words[i];
			continue;
		}
		if (runs->base || !runs->count || i + 1 == count)
			return fail(-EINVAL,
				    "'vs' stands once, between the profiles "
				    "of two sides");
		runs->base = runs->count;
	}
	return 0;
}

int shown_runs_open(struct shown_runs *runs, char *const *words, size_t count)
{
	int err;

	*runs = (struct shown_runs){
		.at = calloc(count + 1, sizeof(*runs->at)),
		.names = calloc(count + 1, sizeof(*runs->names)),
	};
	if (!runs->at || !runs->names)
		return fail(-ENOMEM, "out of memory");
	err = name_runs(runs, words, count);
	for (size_t i = 0; i < runs->count && !err; i++) {
		err = run_open(&runs->at[i], runs->names[i], NULL);
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
	free(runs->at);
	free(runs->names);
	*runs = (struct shown_runs){ 0 };
}
